// What is sent, byte by byte.
#include "cpp_client/orders_server.hpp"
#include "cpp_client/raw_server.hpp"

namespace requests_test {

using e2e::RawServer;
using orders_api::ClientOptions;
using orders_api::OrdersClient;

namespace {

const std::string kCustomer =
    R"({"data": {"id": 1, "name": "a", "email": "e", "address": {"street": "s", "city": "c"}}})";

bool has_line(const std::string& request, const std::string& line) {
  return request.find("\r\n" + line + "\r\n") != std::string::npos;
}

std::string first_line(const std::string& request) { return request.substr(0, request.find('\r')); }

}  // namespace

TEST_CASE("cpp client: headers, token, request id and body are sent") {
  RawServer server({e2e::json_response("201 Created", kCustomer)});
  OrdersClient client({.base_url = server.url() + "/v1/",
                       .headers = {{"Accept-Language", "de"}, {"X-Tenant", "one"}},
                       .token = "t-1",
                       .request_id = [] { return "r-1"; }});
  client.createCustomer({.body = e2e::customer("ada@example.com")},
                        {.headers = {{"x-tenant", "two"}}});
  const std::string request = server.requests().at(0);
  CHECK(first_line(request) == "POST /v1/customers HTTP/1.1");
  CHECK(has_line(request, "Authorization: Bearer t-1"));
  CHECK(has_line(request, "X-Request-ID: r-1"));
  CHECK(has_line(request, "Accept-Language: de"));
  CHECK(has_line(request, "x-tenant: two"));
  CHECK(request.find("X-Tenant") == std::string::npos);
  CHECK(has_line(request, "Content-Type: application/json"));
  CHECK(
      request.substr(request.find("\r\n\r\n") + 4) ==
      R"({"address":{"city":"London","street":"St James's Square 12"},"email":"ada@example.com","name":"Ada"})");
}

TEST_CASE("cpp client: the trace of the caller is asked for once for each call") {
  const std::string busy = e2e::json_response("503 Service Unavailable", R"({"code": 503})");
  RawServer server({busy, e2e::json_response("200 OK", R"({"data": []})")});
  int calls = 0;
  OrdersClient client({.base_url = server.url(),
                       .trace = [&]() -> orders_api::Headers {
                         if (++calls > 2) return {};
                         return {{"traceparent", "parent-" + std::to_string(calls)},
                                 {"tracestate", "a=1"}};
                       },
                       .retry = {.first_delay = std::chrono::milliseconds(1)}});
  client.listOrders();
  client.listOrders();
  client.listOrders();
  client.listOrders({}, {.headers = {{"Traceparent", "own"}}});
  const auto requests = server.requests();
  REQUIRE(requests.size() == 5);
  for (const std::size_t i : {0U, 1U, 2U}) {
    CHECK(has_line(requests[i], i < 2 ? "traceparent: parent-1" : "traceparent: parent-2"));
    CHECK(has_line(requests[i], "tracestate: a=1"));
  }
  CHECK(requests[3].find("trace") == std::string::npos);
  CHECK(has_line(requests[4], "Traceparent: own"));
  CHECK(calls == 4);
}

TEST_CASE("cpp client: without options a request has no identifying headers") {
  RawServer server({e2e::json_response("200 OK", R"({"data": []})")});
  OrdersClient client({.base_url = server.url()});
  client.listOrders();
  CHECK(first_line(server.requests().at(0)) == "GET /orders HTTP/1.1");
  CHECK(server.requests().at(0).find("Authorization") == std::string::npos);
  CHECK(server.requests().at(0).find("X-Request-ID") == std::string::npos);
}

TEST_CASE("cpp client: parameters are percent-encoded") {
  RawServer server({e2e::json_response("200 OK", kCustomer)});
  OrdersClient client({.base_url = server.url()});
  const auto line = [&](const std::string& email) {
    client.findCustomer({.email = email});
    return first_line(server.requests().back());
  };
  CHECK(line("a b/c?d#e%+\xC3\xA9") ==
        "GET /customers/by-email/a%20b%2Fc%3Fd%23e%25%2B%C3%A9 HTTP/1.1");
  CHECK(line("x\r\nX-Evil: 1") == "GET /customers/by-email/x%0D%0AX-Evil%3A%201 HTTP/1.1");
  CHECK(line("..") == "GET /customers/by-email/%2E%2E HTTP/1.1");
  CHECK_THROWS_WITH_AS(line(""), "findCustomer: the path parameter 'email' cannot be empty",
                       std::invalid_argument);
}

TEST_CASE("cpp client: header injection is rejected") {
  RawServer server({e2e::json_response("200 OK", R"({"data": []})")});
  const ClientOptions plain{.base_url = server.url()};
  OrdersClient client(plain);
  CHECK_THROWS_WITH_AS(client.listOrders({}, {.request_id = "a\r\nX-Evil: 1"}),
                       "the header 'X-Request-ID' cannot contain control characters",
                       std::invalid_argument);
  CHECK_THROWS_AS(client.listOrders({}, {.headers = {{"X Y", "1"}}}), std::invalid_argument);
  ClientOptions evil = plain;
  evil.token = "t\n";
  CHECK_THROWS_AS(OrdersClient(evil).listOrders(), std::invalid_argument);
  evil.headers = {{"X", "a\nb"}};
  CHECK_THROWS_AS(OrdersClient{evil}, std::invalid_argument);
  CHECK(server.requests().empty());
}

TEST_CASE("cpp client: strings that are not UTF-8 are rejected") {
  OrdersClient client({.base_url = "http://127.0.0.1:1"});
  CHECK_THROWS_WITH_AS(client.createCustomer({.body = e2e::customer("\xFF")}),
                       "createCustomer: a string of the body is not UTF-8", std::invalid_argument);
}

TEST_CASE("cpp client: base URLs are validated and joined with the path") {
  const auto error_of = [](const std::string& url) {
    return std::string(
        e2e::thrown_by<std::invalid_argument>([&] { OrdersClient({.base_url = url}); }).what());
  };
  CHECK(error_of("") == "the base URL '' must begin with http:// or https://");
  CHECK(error_of("localhost:3000").find("must begin with") != std::string::npos);
  CHECK(error_of("http://") == "the base URL 'http://' has no host");
  CHECK(error_of("http://[::1") == "the base URL 'http://[::1' lacks the ']' after its address");
  for (const char* port : {"0", "65536", "x", "", "80x"}) {
    CHECK(error_of("http://a:" + std::string(port)).find("has no port between") !=
          std::string::npos);
  }
  for (const char* url : {"http://a/?q", "http://u@a", "http://a/#f", "http://a/b c"}) {
    CHECK(error_of(url).find("a host, a port and a path only") != std::string::npos);
  }
  using orders_api::detail::parse_base_url;
  CHECK(parse_base_url("http://[fe80::1]:8080/a/b//").host == "fe80::1");
  CHECK(parse_base_url("http://[fe80::1]:8080/a/b//").port == 8080);
  CHECK(parse_base_url("http://[fe80::1]:8080/a/b//").prefix == "/a/b");
  CHECK(parse_base_url("https://a").port == 443);
}

}  // namespace requests_test
