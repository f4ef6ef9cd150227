// Places, bodies and responses that the orders sample does not have, on the wire. The client is
// included after headers whose macros are among its names.
#include <doctest/doctest.h>

#include <cerrno>
#include <climits>
#include <every_client.hpp>
#include <orders_client.hpp>

#include "cpp_client/raw_server.hpp"

namespace every_test {

using e2e::json_response;
using e2e::RawServer;

// Two clients of one program have their errors in common.
static_assert(std::is_same_v<every_api::ApiError, orders_api::ApiError>);
static_assert(!std::is_same_v<every_api::EveryClient, orders_api::OrdersClient>);

namespace {

constexpr const char* kEmpty = "HTTP/1.1 204 No Content\r\nX-Request-ID: r\r\n\r\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string request_line(const RawServer& server) {
  const std::string request = server.requests().back();
  return request.substr(0, request.find('\r'));
}

}  // namespace

TEST_CASE("cpp client: wildcard parameters keep their slashes") {
  RawServer server({json_response("200 OK", R"({"data": null})")});
  every_api::EveryClient client({.base_url = server.url()});
  client.request({.wildcard = "a b/c%/../d"});
  CHECK(request_line(server) == "GET /files/a%20b/c%25/%2E%2E/d HTTP/1.1");
  client.request({.wildcard = ""});
  CHECK(request_line(server) == "GET /files/ HTTP/1.1");
}

TEST_CASE("cpp client: query, headers, cookies and bodies with hostile names") {
  RawServer server({json_response("202 Accepted", R"({"data": "on"})")});
  every_api::EveryClient client({.base_url = server.url(), .headers = {{"Cookie", "a=b"}}});
  const auto response = client.class_({.class_ = "x&y=z +",
                                       .id = -1,
                                       .on = true,
                                       .share = 0.1,
                                       .list = {{"one", "two,three"}},
                                       .sort = every_api::ClassSort::desc,
                                       .X_Class = "h",
                                       .X_Labels = {{"one", "2 3"}},
                                       .theme = every_api::ClassTheme::dark,
                                       .body = {.class_ = "c",
                                                ._1st = 1,
                                                .a_b = "dash",
                                                .CHAR_BIT_ = "8",
                                                .Hostile = {.Hostile = true},
                                                .state = every_api::ClassBody::State::EAGAIN_}});
  const std::string request = server.requests().at(0);
  CHECK(request_line(server) ==
        "POST /?class=x%26y%3Dz%20%2B&id=-1&on=true&share=0.1&list=one&list=two%2Cthree&sort=desc "
        "HTTP/1.1");
  CHECK(contains(request, "\r\nX-Class: h\r\n"));
  CHECK(contains(request, "\r\nX-Labels: one, 2 3\r\n"));
  CHECK(contains(request, "\r\nCookie: a=b; theme=dark\r\n"));
  CHECK(contains(request, R"({"1st":1,"CHAR_BIT":"8","Hostile":{"Hostile":true},"a-b":"dash",)"
                          R"("class":"c","state":"EAGAIN"})"));
  CHECK(std::get<every_api::ClassResponse202>(response) == every_api::ClassResponse202::on);
}

TEST_CASE("cpp client: a list in a header is sent whole or not at all") {
  RawServer server({json_response("202 Accepted", R"({"data": "on"})")});
  every_api::EveryClient client({.base_url = server.url()});
  for (const std::string odd : {"a,b", "", " a", "a "}) {
    CHECK_THROWS_WITH_AS(
        client.class_({.class_ = "x", .X_Labels = {{"first", odd}}, .body = {}}),
        ("class: the list of the header 'X-Labels' cannot have the value '" + odd + "'").c_str(),
        std::invalid_argument);
  }
  client.class_({.class_ = "x", .X_Labels = std::vector<std::string>(), .body = {}});
  CHECK(contains(server.requests().at(0), "\r\nX-Labels: \r\n"));
}

TEST_CASE("cpp client: several responses are distinguished by their status") {
  const auto index = [](const std::string& status, const std::string& data) {
    RawServer server({json_response(status, "{\"data\": " + data + "}")});
    every_api::EveryClient client({.base_url = server.url()});
    return client.class_({.class_ = "x", .body = {}}).index();
  };
  CHECK(index("201 Created", R"([{"id": 1}])") == 1);
  CHECK(index("202 Accepted", R"("off")") == 2);
  RawServer odd({json_response("206 Partial", R"({"data": 1})")});
  every_api::EveryClient client({.base_url = odd.url()});
  CHECK_THROWS_WITH_AS(client.class_({.class_ = "x", .body = {}}),
                       "class: the response has a status that is not documented",
                       every_api::TransportError);
}

TEST_CASE("cpp client: forms contain files, and their names cannot break the form") {
  RawServer server({json_response("200 OK", R"({"data": null})")});
  every_api::EveryClient client({.base_url = server.url()});
  client.upload({.form = {.photo = {.content = std::string("\0\r\n--", 5),
                                    .filename = "a\"\r\nb.jpg",
                                    .content_type = "image/jpeg"}}});
  const std::string request = server.requests().at(0);
  const auto at = request.find("boundary=");
  REQUIRE(at != std::string::npos);
  const std::string boundary = request.substr(at + 9, request.find('\r', at) - at - 9);
  CHECK(request.substr(request.find("\r\n\r\n") + 4) ==
        "--" + boundary +
            "\r\nContent-Disposition: form-data; name=\"photo\"; "
            "filename=\"a%22%0D%0Ab.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n" +
            std::string("\0\r\n--", 5) + "\r\n--" + boundary + "--\r\n");
  CHECK_THROWS_AS(client.upload({.form = {.photo = {.content_type = "a\r\nb"}}}),
                  std::invalid_argument);
  CHECK_THROWS_WITH_AS(client.both({}), "both: the body is missing", std::invalid_argument);
}

TEST_CASE("cpp client: other media types, HEAD, no body and redirections") {
  RawServer csv({"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 3\r\n\r\na,b"});
  const auto body = every_api::EveryClient({.base_url = csv.url()}).café({.rest = "x"});
  CHECK(body == every_api::RawBody{.content = "a,b", .content_type = "text/csv"});

  every_api::ResponseInfo info;
  RawServer head({"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Size: 9\r\n\r\n"});
  every_api::EveryClient({.base_url = head.url()}).options({.response = &info});
  CHECK(request_line(head) == "HEAD /head HTTP/1.1");
  CHECK(info.header("x-size") == "9");
  RawServer none({kEmpty});
  every_api::EveryClient({.base_url = none.url()}).delete_({.response = &info});
  CHECK(info.status == 204);
  CHECK(info.request_id == "r");
  RawServer moved({"HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"});
  every_api::EveryClient({.base_url = moved.url()}).transport_2({.response = &info});
  CHECK(info.header("location") == "/new");
}

TEST_CASE("cpp client: recursive responses, null, alternatives and additional members") {
  const auto data =
      every_api::Json::parse(R"({"value": null, "parent": {"value": 1, "children": []},
    "children": [{"value": 2, "children": []}], "named": {"a": {"Json": true}},
    "choice": {"Leaf": {}}, "fixed": "one", "anything": [1], "more": 1.5})");
  RawServer server({json_response("200 OK", every_api::Json{{"data", data}}.dump())});
  const auto tree = every_api::EveryClient({.base_url = server.url()}).tree();
  CHECK(!tree.value);
  CHECK((*tree.parent)->value == 1);
  CHECK(tree.children.at(0).value == 2);
  CHECK(tree.named->at("a").Json_ == true);
  CHECK(tree.choice->index() == 1);
  CHECK(tree.additional_properties.at("more") == 1.5);
  CHECK(every_api::Json(tree) == data);
  const auto copy = tree;
  CHECK(copy == tree);
  CHECK_THROWS_WITH_AS(data.at("children").get<decltype(tree)>(), "must be an object",
                       every_api::TransportError);
}

}  // namespace every_test
