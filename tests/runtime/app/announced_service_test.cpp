#include <fairway/announced_service.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace announced_service_test {

namespace {

class Stock {
 public:
  explicit Stock(int amount) : amount_(amount) {}
  int take(int amount) {
    if (amount > amount_) throw std::runtime_error("out of stock");
    return amount_ -= amount;
  }
  int& amount() { return amount_; }
  std::unique_ptr<int> boxed() const { return std::make_unique<int>(amount_); }
  void refill() { amount_ = 10; }

 private:
  int amount_;
};

struct Recorded {
  fw::App app;
  std::string events = {};

  Recorded() {
    on<fw::hooks::ServiceLoaded>([](const auto& event) { return std::string(event.service); });
    on<fw::hooks::ServiceBeforeCall>([](const auto& event) { return std::string(event.method); });
    on<fw::hooks::ServiceAfterCall>([](const auto& event) {
      CHECK(event.duration.count() >= 0);
      return std::string(event.method);
    });
    on<fw::hooks::ServiceError>([](const auto& event) {
      try {
        std::rethrow_exception(event.error);
      } catch (const std::exception& error) {
        return fmt::format("{} {}", event.method, error.what());
      }
    });
  }

  template <class Event, class F>
  void on(F describe) {
    app.hooks().on<Event>([this, describe](Event& event) {
      CHECK(event.service == "stock");
      events += fmt::format("{}({}) ", Event::kName.substr(8), describe(event));
    });
  }
};

TEST_CASE("announced services: each call has an event before and one after") {
  Recorded recorded;
  auto& stock = fw::add_announced<Stock>(recorded.app, "stock", 5);
  CHECK(recorded.app.services().get<Stock>().amount() == 5);
  CHECK(&recorded.app.services().get<fw::AnnouncedService<Stock>>() == &stock);

  CHECK(stock.call("take", &Stock::take, 2) == 3);
  int& amount = stock.call("amount", &Stock::amount);
  CHECK(&amount == &stock.service().amount());
  CHECK(*stock.call("boxed", [](Stock& s) { return s.boxed(); }) == 3);
  stock.call("refill", &Stock::refill);
  CHECK(amount == 10);
  CHECK(recorded.events ==
        "loaded(stock) beforeCall(take) afterCall(take) beforeCall(amount) afterCall(amount) "
        "beforeCall(boxed) afterCall(boxed) beforeCall(refill) afterCall(refill) ");
}

TEST_CASE("announced services: an exception of a call is an event and is rethrown") {
  Recorded recorded;
  auto& stock = fw::add_announced<Stock>(recorded.app, "stock", 5);
  CHECK_THROWS_WITH(stock.call("take", &Stock::take, 6), "out of stock");
  CHECK(recorded.events == "loaded(stock) beforeCall(take) error(take out of stock) ");
}

TEST_CASE("announced services: a hook before a call can cancel it") {
  Recorded recorded;
  auto& stock = fw::add_announced<Stock>(recorded.app, "stock", 5);
  recorded.app.hooks().on<fw::hooks::ServiceBeforeCall>(
      [](fw::hooks::ServiceBeforeCall&) { throw std::runtime_error("closed"); });
  CHECK_THROWS_WITH(stock.call("take", &Stock::take, 1), "closed");
  CHECK(stock.service().amount() == 5);
  CHECK(recorded.events == "loaded(stock) beforeCall(take) ");
}

}  // namespace

}  // namespace announced_service_test
