// Every way in which a call fails.
#include <csignal>
#include <sstream>
#include <thread>
#include <typeinfo>

#include "cpp_client/orders_server.hpp"
#include "cpp_client/raw_server.hpp"

namespace failures_test {

using namespace std::chrono_literals;
using e2e::json_response;
using e2e::OrdersServer;
using e2e::RawServer;
using e2e::thrown_by;
using orders_api::ApiError;
using orders_api::TransportError;
using Kind = orders_api::TransportError::Kind;

namespace {

/// The error of `health`, without retries.
TransportError failure_of(const std::string& url, orders_api::CallOptions call = {},
                          std::chrono::milliseconds patience = 60s) {
  orders_api::OrdersClient client({.base_url = url,
                                   .connect_timeout = patience,
                                   .read_timeout = patience,
                                   .retry = {.max_retries = 0}});
  return thrown_by<TransportError>([&] { client.health(call); });
}

/// Asks for the stop a moment after the call has begun.
class LateStop {
 public:
  explicit LateStop(std::function<void()> moment)
      : thread_([this, moment] {
          moment();
          source_.request_stop();
        }) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread thread_;
};

}  // namespace

TEST_CASE("cpp client: 401, 403, 404 and 409 are errors with code, message and details") {
  OrdersServer server;
  auto client = server.client();
  auto nobody = server.client("");
  const auto anonymous = thrown_by<ApiError>([&] { nobody.deleteProduct({.id = 1}); });
  CHECK(anonymous.status() == 401);
  CHECK(anonymous.code() == "AUTH_REQUIRED");

  auto stranger = server.client("wrong");
  CHECK(thrown_by<ApiError>([&] { stranger.deleteProduct({.id = 1}); }).code() == "AUTH_INVALID");
  auto guest = server.client("customer-token");
  const auto forbidden = thrown_by<ApiError>([&] { guest.deleteProduct({.id = 1}); });
  CHECK(forbidden.status() == 403);
  CHECK(forbidden.code() == "AUTH_FORBIDDEN");

  const auto missing = thrown_by<ApiError>([&] { client.getOrder({.id = 4711}); });
  CHECK(missing.status() == 404);
  CHECK(missing.code() == "ORDER_NOT_FOUND");
  CHECK(missing.message() == "no order 4711");
  CHECK(missing.details().is_null());
  CHECK(std::string(missing.what()) ==
        "getOrder: 404 ORDER_NOT_FOUND no order 4711 (request " + missing.request_id() + ")");
  const auto german = thrown_by<ApiError>(
      [&] { client.getOrder({.id = 4711}, {.headers = {{"Accept-Language", "de"}}}); });
  CHECK(german.message() == "keine Bestellung 4711");

  client.createCustomer({.body = e2e::customer("ada@example.com")});
  const auto taken = thrown_by<ApiError>(
      [&] { client.createCustomer({.body = e2e::customer("ada@example.com")}); });
  CHECK(taken.status() == 409);
  CHECK(taken.code() == "EMAIL_TAKEN");
  CHECK(to_string(taken.code()) == "EMAIL_TAKEN");
  std::ostringstream stream;
  stream << taken.code() << ' ' << orders_api::ErrorCode(404);
  CHECK(stream.str() == "EMAIL_TAKEN 404");
  CHECK(taken.details() == orders_api::Json{{"email", "ada@example.com"}});
}

TEST_CASE("cpp client: an error that the document lists has an exception of its own") {
  OrdersServer server;
  auto client = server.client();
  const auto ada = client.createCustomer({.body = e2e::customer("ada@example.com")});
  const auto order_of = [](std::int64_t customer, std::int64_t product) {
    return orders_api::CreateOrderRequest{
        .body = {.customerId = customer, .items = {{.productId = product, .quantity = 1}}}};
  };
  try {
    client.createOrder(order_of(ada.id, 4711));
    FAIL("the order was placed");
  } catch (const orders_api::ProductNotFound& error) {
    CHECK(error.status() == 404);
    CHECK(error.code() == "PRODUCT_NOT_FOUND");
    CHECK(error.details() == orders_api::Json{{"productId", 4711}});
  }
  CHECK_THROWS_AS(client.createOrder(order_of(4711, 1)), orders_api::CustomerNotFound);
  CHECK_THROWS_AS(client.getProduct({.id = 4711}), orders_api::ProductNotFound);
  CHECK_THROWS_AS(client.createCustomer({.body = e2e::customer("ada@example.com")}),
                  orders_api::EmailTaken);
  // Codes of the framework are not in the document.
  auto guest = server.client("customer-token");
  try {
    guest.deleteProduct({.id = 1});
    FAIL("the product was deleted");
  } catch (const ApiError& error) {
    CHECK(error.code() == "AUTH_FORBIDDEN");
    CHECK(typeid(error) == typeid(ApiError));
  }
}

TEST_CASE("cpp client: 422 and 400 responses name the invalid fields") {
  OrdersServer server;
  auto client = server.client();
  const auto failure = thrown_by<orders_api::ValidationFailure>([&] {
    client.createOrder({.body = {.customerId = 0, .items = {{.productId = 1, .quantity = 1000}}}});
  });
  CHECK(failure.status() == 422);
  CHECK(failure.code() == 422);
  CHECK(failure.message() == "Validation failed");
  REQUIRE(failure.fields().size() == 2);
  CHECK(failure.fields()[0].field == "customerId");
  CHECK(failure.fields()[1].field == "items/0/quantity");
  CHECK(failure.fields()[1].message == "items/0/quantity must be at most 100");

  const auto parameter =
      thrown_by<orders_api::ValidationFailure>([&] { client.getOrder({.id = 0}); });
  CHECK(parameter.status() == 400);
  CHECK(parameter.fields().at(0).field == "id");
  CHECK(thrown_by<ApiError>([&] { client.listOrders({.limit = 0}); }).status() == 422);
}

TEST_CASE("cpp client: a 400 without fields is an error of the body") {
  OrdersServer server;
  auto client = server.client();
  const auto error = thrown_by<ApiError>(
      [&] { client.createOrder({.body = {}}, {.headers = {{"Transfer-Encoding", "chunked"}}}); });
  CHECK(error.status() == 400);
}

TEST_CASE("cpp client: error responses of other servers are kept as they are") {
  RawServer html(
      {"HTTP/1.1 418 Teapot\r\nContent-Type: text/html\r\nX-Request-ID: p-1\r\n"
       "Content-Length: 9\r\nConnection: close\r\n\r\n<p>no</p>"});
  orders_api::OrdersClient client({.base_url = html.url()});
  const auto error = thrown_by<ApiError>([&] { client.health(); });
  CHECK(error.status() == 418);
  CHECK(error.code() == 418);
  CHECK(error.message() == "Teapot");
  CHECK(error.body() == "<p>no</p>");
  CHECK(error.request_id() == "p-1");

  RawServer redirecting({"HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n"});
  orders_api::OrdersClient redirected({.base_url = redirecting.url()});
  const auto redirection = thrown_by<ApiError>([&] { redirected.deleteOrder({.id = 1}); });
  CHECK(redirection.status() == 302);
  CHECK(redirection.message() == "redirected to /login");

  // For a client that sends If-None-Match.
  RawServer unchanged({"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n"});
  orders_api::OrdersClient conditional(
      {.base_url = unchanged.url(), .headers = {{"If-None-Match", "\"1\""}}});
  const auto known = thrown_by<ApiError>([&] { conditional.listProducts(); });
  CHECK(known.status() == 304);
  CHECK(known.message() == "Not Modified");
}

TEST_CASE("cpp client: a refused connection is an error") {
  const auto error = failure_of("http://127.0.0.1:" + std::to_string(e2e::free_port()));
  CHECK(error.kind() == Kind::connect);
  CHECK(std::string(error.what()).starts_with("health: no connection (http://127.0.0.1:"));
}

TEST_CASE("cpp client: a call without a response ends at its timeout") {
  RawServer silent({std::string(RawServer::kSilence)});
  CHECK(failure_of(silent.url(), {}, 60ms).kind() == Kind::timeout);
  CHECK(failure_of(silent.url(), {.timeout = 60ms}).kind() == Kind::timeout);
  e2e::DeafPort full(e2e::DeafPort::Queue::full);
  CHECK(failure_of(full.url(), {}, 60ms).kind() == Kind::timeout);
  CHECK(failure_of(full.url(), {.timeout = 60ms}).kind() == Kind::timeout);
}

TEST_CASE("cpp client: a slow response ends at the deadline of the whole call") {
  RawServer trickling({std::string(RawServer::kTrickle)});
  const auto begin = std::chrono::steady_clock::now();
  const auto error = failure_of(trickling.url(), {.timeout = 100ms});
  CHECK(error.kind() == Kind::timeout);
  CHECK(std::string(error.what()) == "health: no response within 100 ms");
  CHECK(std::chrono::steady_clock::now() - begin < 30s);
}

TEST_CASE("cpp client: a stop token cancels before, during and after connecting") {
  std::stop_source stopped;
  stopped.request_stop();
  RawServer silent({std::string(RawServer::kSilence)});
  CHECK(failure_of(silent.url(), {.stop = stopped.get_token()}).kind() == Kind::cancelled);
  CHECK(silent.requests().empty());

  const auto begin = std::chrono::steady_clock::now();
  LateStop waiting([&] { silent.wait_for_requests(1); });
  CHECK(failure_of(silent.url(), {.stop = waiting.token()}).kind() == Kind::cancelled);
  e2e::DeafPort full(e2e::DeafPort::Queue::full);
  LateStop connecting([] { std::this_thread::sleep_for(50ms); });
  CHECK(failure_of(full.url(), {.stop = connecting.token()}).kind() == Kind::cancelled);
  CHECK(std::chrono::steady_clock::now() - begin < 30s);
}

TEST_CASE("cpp client: a response that is not HTTP, or is truncated, is an interruption") {
  RawServer garbage({"\x01\x02 hello there\r\n\r\n"});
  CHECK(failure_of(garbage.url()).kind() == Kind::interrupted);
  RawServer cut({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"code\""});
  CHECK(failure_of(cut.url()).kind() == Kind::interrupted);
  RawServer closing({""});
  CHECK(failure_of(closing.url()).kind() == Kind::interrupted);
}

TEST_CASE("cpp client: a response that differs from its schema is malformed, with a JSON pointer") {
  const auto error_of = [](const std::string& body) {
    RawServer server({json_response("200 OK", body)});
    const auto error = failure_of(server.url());
    CHECK(error.kind() == Kind::malformed);
    return std::string(error.what());
  };
  CHECK(error_of("{") == "health: the response is not JSON");
  CHECK(error_of("[]") == "health: the response has no member 'data'");
  CHECK(error_of(R"({"data": 1, "requestId": "x"})") ==
        "health: the response does not match the document: must be an object");
  CHECK(error_of(R"({"data": {"status": "ok"}})") ==
        "health: the response does not match the document: has no member 'responses'");
  CHECK(error_of(R"({"data": {"status": "ok", "responses": 1.5, "errors": 0}})") ==
        "health: the response does not match the document: responses must be a 64-bit integer");
  CHECK(error_of(R"({"data": {"status": "new", "responses": 1, "errors": 0}})") ==
        "health: the response does not match the document: status has the unknown value \"new\"");

  RawServer list({json_response("200 OK", R"({"data": [{"id": 1, "name": "a", "email": "e",
                                            "address": {"street": 1, "city": "c"}}]})")});
  orders_api::OrdersClient client({.base_url = list.url()});
  CHECK(
      std::string(thrown_by<TransportError>([&] { client.listCustomers(); }).what()) ==
      "listCustomers: the response does not match the document: 0/address/street must be a string");
}

TEST_CASE("cpp client: a deeply nested response does not exhaust the stack") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  // The outermost object is a level, too.
  for (const std::size_t levels : {std::size_t{512}, std::size_t{200'000}}) {
    RawServer server({json_response("200 OK", R"({"data": )" + nested(levels) + "}")});
    const auto error = failure_of(server.url());
    CHECK(error.kind() == Kind::malformed);
    CHECK(std::string(error.what()) == "health: the response is nested more than 512 levels deep");
  }
  RawServer accepted({json_response("200 OK", R"({"data": )" + nested(511) + "}")});
  CHECK(std::string(failure_of(accepted.url()).what()) ==
        "health: the response does not match the document: must be an object");

  const std::string body = R"({"code": 404, "message": "no", "details": )" + nested(200'000) + "}";
  RawServer failing({json_response("404 Not Found", body)});
  orders_api::OrdersClient client({.base_url = failing.url()});
  const auto error = thrown_by<orders_api::ApiError>([&] { client.health(); });
  CHECK(error.status() == 404);
  CHECK(error.details() == nullptr);
  CHECK(error.body() == body);
}

TEST_CASE(
    "cpp client: a connection that ends while a body is being sent does not end the process") {
  e2e::DeafPort deaf(e2e::DeafPort::Queue::empty);
  orders_api::OrdersClient client({.base_url = deaf.url()});
  auto body = e2e::customer("ada@example.com");
  body.name = std::string(32 << 20, 'x');
  const auto error =
      thrown_by<TransportError>([&] { client.createCustomer({.body = body}, {.timeout = 100ms}); });
  CHECK(error.kind() == Kind::timeout);
}

TEST_CASE("cpp client: SIGPIPE is blocked during a call only") {
  {
    const orders_api::detail::SigpipeBlock block;
    raise(SIGPIPE);
  }
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  CHECK(sigismember(&blocked, SIGPIPE) == 0);
}

}  // namespace failures_test
