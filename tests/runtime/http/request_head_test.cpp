#include "http/request_head.hpp"

#include <doctest/doctest.h>

#if FAIRWAY_EPOLL
#include "http/http1/head_scanner.hpp"
#endif

namespace request_head_test {

using namespace fw::http;

namespace {

std::optional<RequestError> parse(std::string_view bytes, RequestHead& head, Framing& framing,
                                  std::size_t max_count = 100) {
  return parse_request_head(bytes, max_count, head, framing);
}

}  // namespace

TEST_CASE("request head: fields keep order, letter case and bytes") {
  RequestHead head;
  Framing framing;
  const auto error = parse(
      "GET /a%2Fb?x=%41+1 HTTP/1.1\r\nX-Late: 1\r\nhost: a\r\nCookie: v=%0d%0a%41\r\nX-Empty:\r\n"
      "REMOTE_ADDR:  1.2.3.4 \t\r\nx-late: \xC3\xA4\r\n\r\n",
      head, framing);
  REQUIRE_FALSE(error);
  CHECK(head.method == "GET");
  CHECK(head.target == "/a%2Fb?x=%41+1");
  CHECK(head.fields == Fields{{"X-Late", "1"},
                              {"host", "a"},
                              {"Cookie", "v=%0d%0a%41"},
                              {"X-Empty", ""},
                              {"REMOTE_ADDR", "1.2.3.4"},
                              {"x-late", "\xC3\xA4"}});
  CHECK_FALSE(head.has_body);
  CHECK(framing.keep_alive);
}

TEST_CASE("request head: the method does not refer to the parsed bytes") {
  RequestHead head;
  Framing framing;
  std::string bytes = "DELETE /x HTTP/1.1\r\nHost: a\r\n\r\n";
  REQUIRE_FALSE(parse(bytes, head, framing));
  bytes.assign(bytes.size(), 'x');
  CHECK(head.method == "DELETE");
}

TEST_CASE("request head: the methods of RFC 9110 and PATCH are accepted, in HTTP 1.0 and 1.1") {
  const auto status_of = [](const std::string& line) {
    RequestHead head;
    Framing framing;
    const auto error = parse(line + "\r\nHost: a\r\n\r\n", head, framing);
    if (error) return error->status;
    CHECK(line.starts_with(std::string(head.method) + " "));
    CHECK(framing.is_http_1_0 == line.ends_with("0"));
    return 200;
  };
  for (const std::string method :
       {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}) {
    CAPTURE(method);
    CHECK(status_of(method + " /x HTTP/1.1") == 200);
    CHECK(status_of(method + " /x HTTP/1.0") == 200);
    CHECK(status_of(method + " /x HTTP/1.2") == 505);
    CHECK(status_of(method + " /x HTTP/2.0") == 505);
    CHECK(status_of(method + " /x HTTP/1") == 400);
    CHECK(status_of(method + " /x http/1.1") == 400);
    CHECK(status_of(method + "X /x HTTP/1.1") == 501);
  }
  CHECK(status_of("get /x HTTP/1.1") == 501);
  CHECK(status_of("PRI /x HTTP/1.1") == 501);
  CHECK(status_of("G(T /x HTTP/1.1") == 400);
  CHECK(status_of(" /x HTTP/1.1") == 400);
}

TEST_CASE("request head: a control character other than tab rejects a request at any position") {
  const auto is_accepted = [](const std::string& value) {
    RequestHead head;
    Framing framing;
    return !parse("GET / HTTP/1.1\r\nHost: a\r\nX: " + value + "\r\n\r\n", head, framing);
  };
  for (std::size_t size = 3; size <= 20; ++size) {
    for (std::size_t at = 1; at + 1 < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string value(size, 'a');
        value[at] = static_cast<char>(byte);
        CHECK_MESSAGE(is_accepted(value) == ((byte >= 0x20 && byte != 0x7F) || byte == '\t'), byte);
      }
    }
  }
}

TEST_CASE("request head: a rejected header line has a reason") {
  const auto reason = [](const std::string& line) {
    RequestHead head;
    Framing framing;
    const auto error = parse("GET / HTTP/1.1\r\nHost: a\r\n" + line + "\r\n\r\n", head, framing);
    CHECK(error.value_or(RequestError{}).status == 400);
    return std::string(error.value_or(RequestError{}).message);
  };
  CHECK(reason("no colon here") == "a header line has no colon");
  CHECK(reason("X") == "a header line has no colon");
  for (const std::string name : {"", "a b", "a ", "a\x01", "\xC3\xA4", "a(", "a\"b\""}) {
    CHECK(reason(name + ": 1") == "a header name is empty or contains an invalid character");
  }
  for (const std::string fold : {" folded", "\tfolded: 1", " "}) {
    CHECK(reason("X: 1\r\n" + fold) ==
          "a header line begins with whitespace: folded header lines are not accepted");
  }
  for (const std::string& value :
       {std::string("a\rb"), std::string("\r"), std::string("\x7F"), std::string("a\0b", 3)}) {
    CHECK(reason("X: " + value) == "a header value contains a control character");
  }
}

TEST_CASE("request head: received fields can be modified") {
  RequestHead head;
  Framing framing;
  REQUIRE_FALSE(
      parse("GET / HTTP/1.1\r\nHost:a\r\nX-A:  1 \r\nX-B: 2\t\r\nX-A: 3\r\n\r\n", head, framing));
  Fields& fields = head.fields;
  CHECK(fields.lines() == std::nullopt);  // not in the form in which fields are sent
  fields.add("X-C", "4");
  fields.set("x-b", "longer than before");
  fields.remove("x-a");
  CHECK(fields == Fields{{"Host", "a"}, {"X-B", "longer than before"}, {"X-C", "4"}});
  Fields copy = fields;
  copy.add(Fields{{"X-D", ""}});
  CHECK(copy.lines() == "Host: a\r\nX-B: longer than before\r\nX-C: 4\r\nX-D: \r\n");
}

TEST_CASE("request head: a target may be as long as the head") {
  RequestHead head;
  Framing framing;
  const std::string target = "/" + std::string(60'000, 'x') + "?a=?";
  REQUIRE_FALSE(parse("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n", head, framing));
  CHECK(head.target == target);
}

TEST_CASE("request head: absolute form gives path and host") {
  struct Case {
    std::string_view target;
    std::string_view reduced;
    std::string_view host;
  };
  for (const auto& [target, reduced, host] :
       {Case{"http://b.example:81/x?y=/z", "/x?y=/z", "b.example:81"},
        Case{"HTTPS://b.example", "/", "b.example"},
        Case{"http://b.example/?x=?&y=??", "/?x=?&y=??", "b.example"},
        Case{"http://[::1]?q", "/?q", "[::1]"}}) {
    RequestHead head;
    Framing framing;
    const auto sent = target;  // clang 14 cannot capture a binding
    CAPTURE(sent);
    REQUIRE_FALSE(
        parse("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n", head, framing));
    CHECK(head.target == reduced);
    CHECK(head.fields[0].value == host);
  }
}

TEST_CASE("request head: absolute form replaces a missing Host") {
  RequestHead head;
  Framing framing;
  REQUIRE_FALSE(parse("GET http://b.example/ HTTP/1.0\r\nX: y\r\n\r\n", head, framing));
  CHECK(head.fields == Fields{{"X", "y"}, {"Host", "b.example"}});
}

TEST_CASE("request head: keep-alive depends on the version and Connection") {
  struct Case {
    std::string_view version;
    std::string_view field;
    bool keep_alive;
  };
  for (const auto& [version, field, keep_alive] :
       {Case{"1.1", "", true}, Case{"1.1", "Connection: close\r\n", false},
        Case{"1.1", "Connection: x , Close\r\n", false}, Case{"1.0", "", false},
        Case{"1.0", "Connection: Keep-Alive\r\n", true},
        Case{"1.0", "Connection: keep-alive\r\nConnection: close\r\n", false}}) {
    RequestHead head;
    Framing framing;
    REQUIRE_FALSE(parse(
        "GET / HTTP/" + std::string(version) + "\r\nHost: a\r\n" + std::string(field) + "\r\n",
        head, framing));
    const auto sent = field;
    CAPTURE(sent);
    CHECK(framing.keep_alive == keep_alive);
  }
}

TEST_CASE("request head: authorities are validated") {
  for (const std::string_view good : {"a", "a.b:80", "127.0.0.1:1", "[::1]", "[::1]:8080", "a:"}) {
    CAPTURE(good);
    CHECK(is_authority(good));
  }
  for (const std::string_view bad :
       {"", ":80", "a b", "a,b", "a/b", "u@a", "a:b", "a:123456", "[::1", "::1]", "[]", "a:65536",
        "[g]", "a?b", "a:80:81", "[::1]x"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_authority(bad));
  }
}

#if FAIRWAY_EPOLL
TEST_CASE("head scanner: the end is found however the bytes are split") {
  constexpr std::string_view kBytes = "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nrest";
  constexpr std::size_t kEnd = kBytes.size() - 4;
  HeadScanner scanner;
  for (std::size_t size = 1; size < kEnd; ++size) {
    CHECK(scanner.scan(kBytes.substr(0, size)) == HeadScanner::Status::incomplete);
  }
  CHECK(scanner.scan(kBytes.substr(0, kEnd)) == HeadScanner::Status::complete);
  CHECK(scanner.begin() == 4);
  CHECK(scanner.end() == kEnd);
  HeadScanner at_once;
  CHECK(at_once.scan(kBytes) == HeadScanner::Status::complete);
  CHECK(at_once.end() == kEnd);
}

TEST_CASE("head scanner: invalid input is rejected at its first bytes") {
  for (const std::string_view bytes : {"\x16\x03\x01", "\nGET", "GET / HTTP/1.1\n", " GET", ":"}) {
    HeadScanner scanner;
    CHECK(scanner.scan(bytes) == HeadScanner::Status::malformed);
  }
}
#endif

}  // namespace request_head_test
