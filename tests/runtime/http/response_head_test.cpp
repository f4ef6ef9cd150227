#include "http/response_head.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace response_head_test {

using namespace fw::http;

namespace {

std::string written(const ResponseHead& head, BodyEnd end, std::uint64_t length = 0,
                    ConnectionField connection = ConnectionField::none) {
  fw::detail::TextWriter text;
  write_response_head(text, head, end, length, connection);
  return std::string(text.content());
}

}  // namespace

TEST_CASE("response head: status line, fields in order, framing") {
  const ResponseHead head{201, {{"X-B", "1"}, {"Date", "then"}, {"x-a", "2"}}};
  CHECK(written(head, BodyEnd::length, 12) ==
        "HTTP/1.1 201 Created\r\nX-B: 1\r\nDate: then\r\nx-a: 2\r\nContent-Length: 12\r\n\r\n");
  CHECK(written(head, BodyEnd::chunked, 0, ConnectionField::close) ==
        "HTTP/1.1 201 Created\r\nX-B: 1\r\nDate: then\r\nx-a: 2\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
}

TEST_CASE("response head: fields added together, and fields marked as valid") {
  Fields constant{{"x-a", "1"}, {"x-b", ""}};
  constant.mark_valid(0);
  ResponseHead head{200, {{"X-First", "0"}}};
  head.fields.add(constant);
  head.fields.add(Fields());
  const std::string expected = "X-First: 0\r\nx-a: 1\r\nx-b: \r\n";
  CHECK(head.fields.lines() == expected);
  CHECK_FALSE(head.fields.is_valid(0));
  CHECK(head.fields.is_valid(1));
  CHECK_FALSE(head.fields.is_valid(2));
  check_response_head(head);
  // A new value is not known to be valid, and is checked.
  head.fields.set("x-a", "1\r\n2");
  CHECK_FALSE(head.fields.is_valid(1));
  CHECK_THROWS_AS(check_response_head(head), std::invalid_argument);
  // Changed fields can be added, too.
  Fields copy{{"x-0", "0"}};
  copy.add(head.fields);
  CHECK(copy.size() == 4);
  CHECK(copy.find("x-a") == "1\r\n2");
  CHECK(copy.find("x-b") == "");
}

TEST_CASE("response head: removed fields do not affect the lines of others") {
  Fields fields{{"a", "1"}, {"x-long-name", "22"}, {"b", ""}, {"A", "3"}, {"c", "4"}};
  fields.mark_valid(4);
  fields.remove("a");
  CHECK(fields == Fields{{"x-long-name", "22"}, {"b", ""}, {"c", "4"}});
  CHECK(fields.lines() == "x-long-name: 22\r\nb: \r\nc: 4\r\n");
  CHECK(fields.is_valid(2));
  fields.add("d", "5");
  fields.remove(fields[0].name);
  CHECK(fields.lines() == "b: \r\nc: 4\r\nd: 5\r\n");
  CHECK(fields.lines_size() == fields.lines()->size());
  // A replaced value is in another place than its line.
  fields.set("c", "new");
  fields.remove("b");
  CHECK_FALSE(fields.lines());
  CHECK(fields == Fields{{"c", "new"}, {"d", "5"}});
  Fields all{{"a", "1"}, {"a", "2"}};
  all.remove("a");
  CHECK(all.lines() == "");
  all.add("b", "3");
  CHECK(all.lines() == "b: 3\r\n");
}

TEST_CASE("response head: framing fields of the application are ignored") {
  const ResponseHead head{
      299, {{"content-length", "9"}, {"Transfer-Encoding", "x"}, {"connection", "close"}}};
  const auto text = written(head, BodyEnd::no_body, 0, ConnectionField::keep_alive);
  CHECK(text.substr(0, 21) == "HTTP/1.1 299 \r\nDate: ");
  CHECK(text.find("ontent-") == std::string::npos);
  CHECK(text.find("Transfer") == std::string::npos);
  CHECK(text.find("close") == std::string::npos);
  CHECK(asks_to_close(head));
  CHECK_FALSE(asks_to_close({200, {{"Connection", "keep-alive"}}}));
}

TEST_CASE("response head: the date has the format of RFC 9110") {
  const auto text = written({}, BodyEnd::no_body);
  const auto date = text.substr(text.find("Date: ") + 6, 31);
  CHECK(date.size() == 31);
  CHECK(date.substr(3, 2) == ", ");
  CHECK(date.substr(25) == " GMT\r\n");
}

TEST_CASE("response head: fields that would break the message are rejected") {
  CHECK_NOTHROW(check_response_head({200, {{"X", "a\tb \xC3\xA4"}}}));
  CHECK_THROWS_AS(check_response_head({200, {{"X", "a\r\nSet-Cookie: b"}}}), std::invalid_argument);
  CHECK_THROWS_AS(check_response_head({200, {{"X y", "a"}}}), std::invalid_argument);
  CHECK_THROWS_AS(check_response_head({200, {{"", "a"}}}), std::invalid_argument);
  CHECK_THROWS_AS(check_response_head({100, {}}), std::invalid_argument);
  CHECK_THROWS_AS(check_response_head({1000, {}}), std::invalid_argument);
}

}  // namespace response_head_test
