// What is tried again, how often, and how long is waited.
#include "cpp_client/orders_server.hpp"
#include "cpp_client/raw_server.hpp"

namespace retries_test {

using namespace std::chrono_literals;
using e2e::json_response;
using e2e::RawServer;
using e2e::thrown_by;
using orders_api::ApiError;
using orders_api::OrdersClient;
using Kind = orders_api::TransportError::Kind;

namespace {

const std::string kBusy =
    json_response("503 Service Unavailable", R"({"code": 503, "message": "busy"})");
const std::string kNone = json_response("200 OK", R"({"data": []})");

orders_api::ClientOptions hasty(const RawServer& server) {
  return {.base_url = server.url(), .retry = {.max_retries = 3, .first_delay = 1ms}};
}

std::chrono::steady_clock::duration elapsed(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::steady_clock::now() - begin;
}

}  // namespace

TEST_CASE("cpp client: a retriable call survives temporary errors") {
  RawServer server({kBusy, "", "HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\n\r\n", kNone});
  int asked = 0;
  auto options = hasty(server);
  options.token = [&] { return "t-" + std::to_string(++asked); };
  options.request_id = [] { return "same"; };
  CHECK(OrdersClient(options).listOrders().empty());
  const auto requests = server.requests();
  REQUIRE(requests.size() == 4);
  CHECK(requests[0].find("Bearer t-1\r\n") != std::string::npos);
  CHECK(requests[3].find("Bearer t-4\r\n") != std::string::npos);
  CHECK(requests[3].find("X-Request-ID: same\r\n") != std::string::npos);
}

TEST_CASE("cpp client: retries end, with the last error") {
  RawServer busy({kBusy});
  OrdersClient client(hasty(busy));
  CHECK(thrown_by<ApiError>([&] { client.deleteOrder({.id = 1}); }).message() == "busy");
  CHECK(busy.requests().size() == 4);
  RawServer closing({""});
  OrdersClient other(hasty(closing));
  CHECK(thrown_by<orders_api::TransportError>([&] { other.listOrders(); }).kind() ==
        Kind::interrupted);
  CHECK(closing.requests().size() == 4);
}

TEST_CASE("cpp client: non-idempotent calls and permanent errors are not retried") {
  RawServer busy({kBusy});
  OrdersClient client(hasty(busy));
  CHECK_THROWS_AS(client.createOrder({.body = {}}), ApiError);
  CHECK_THROWS_AS(client.updateOrder({.id = 1, .body = {}}), ApiError);
  CHECK(busy.requests().size() == 2);
  RawServer broken({json_response("500 Internal Server Error", "{}")});
  CHECK_THROWS_AS(OrdersClient(hasty(broken)).listOrders(), ApiError);
  CHECK(broken.requests().size() == 1);
  RawServer wrong({json_response("200 OK", "nonsense")});
  CHECK_THROWS_AS(OrdersClient(hasty(wrong)).listOrders(), orders_api::TransportError);
  CHECK(wrong.requests().size() == 1);
}

TEST_CASE("cpp client: Retry-After overrides the back-off, unless it is too long") {
  RawServer patient({json_response("503 Busy", "{}", "Retry-After: 1\r\n"), kNone});
  OrdersClient client(hasty(patient));
  CHECK(elapsed([&] { client.listOrders(); }) >= 1s);
  RawServer past(
      {json_response("503 Busy", "{}", "Retry-After: Fri, 07 Nov 2014 23:59:59 GMT\r\n"), kNone});
  CHECK(OrdersClient(hasty(past)).listOrders().empty());
  RawServer endless({json_response("503 Busy", "{}", "Retry-After: 3600\r\n")});
  CHECK_THROWS_AS(OrdersClient(hasty(endless)).listOrders(), ApiError);
  CHECK(endless.requests().size() == 1);
}

TEST_CASE("cpp client: a pause between retries ends at the deadline and on cancellation") {
  RawServer busy({kBusy});
  auto options = hasty(busy);
  options.retry = {.max_retries = 3, .first_delay = 10min, .longest_delay = 10min};
  OrdersClient client(options);
  CHECK(elapsed([&] {
          const auto error = thrown_by<orders_api::TransportError>(
              [&] { client.listOrders({}, {.timeout = 50ms}); });
          CHECK(error.kind() == Kind::timeout);
          // On a busy machine, the first call may end before it has sent its request.
          const std::size_t before = busy.requests().size();
          std::stop_source stop;
          const std::jthread later([&] {
            busy.wait_for_requests(before + 1);
            std::this_thread::sleep_for(20ms);
            stop.request_stop();
          });
          const auto cancelled = thrown_by<orders_api::TransportError>(
              [&] { client.listOrders({}, {.stop = stop.get_token()}); });
          CHECK(cancelled.kind() == Kind::cancelled);
        }) < 60s);
}

TEST_CASE("cpp client: the back-off doubles up to its maximum, with jitter") {
  using orders_api::detail::back_off;
  const orders_api::RetryOptions options{.first_delay = 100ms, .longest_delay = 350ms};
  std::set<std::chrono::milliseconds> seen;
  for (int i = 0; i < 200; ++i) {
    const auto second = back_off(options, 1);
    CHECK(second >= 100ms);
    CHECK(second <= 200ms);
    CHECK(back_off(options, 9) >= 175ms);
    CHECK(back_off(options, 9) <= 350ms);
    seen.insert(second);
  }
  CHECK(seen.size() > 10);
}

}  // namespace retries_test
