#include "exchange/observed_reads.hpp"

#include <fairway/request_context.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "http/framing.hpp"
#include "support/allocation_count.hpp"
#include "support/table_builder.hpp"
#include "testing/memory_transaction.hpp"

namespace observed_reads_test {

namespace {

using fw::support::OneFileApp;
using fw::testing::TestApp;

/// An application with one cached route, whose memory can be made to run out at the end of its
/// handler or of its middleware.
class App {
 public:
  App(std::function<void(fw::Request&)> handler, std::function<void(fw::Request&)> middleware)
      : handler_(std::move(handler)), middleware_(std::move(middleware)) {}

  struct Result {
    bool was_reached = false;  ///< the allocation that fails
    std::shared_ptr<fw::testing::MemoryTransaction> transaction;

    std::string field(std::string_view name) const {
      return std::string(transaction->response_head().fields.find(name).value_or(""));
    }
    bool is_sent() const {
      return transaction->response_head().status == 200 && !transaction->response_body().empty();
    }
  };

  /// The `number`-th allocation from now on fails, if the request comes so far.
  void fail_at(std::size_t number) {
    failure_.emplace(number, [] {
      was_reached_ = true;
      return false;
    });
  }

  Result get() {
    fw::http::RequestHead head;
    head.method = "GET";
    head.target = "/";
    was_reached_ = false;
    Result result;
    result.transaction = std::make_shared<fw::testing::MemoryTransaction>(
        std::move(head), fw::http::Framing(), [] { return std::string(); });
    try {
      fw::detail::Access::core(app_.app()).pipeline().handle(result.transaction);
    } catch (const std::bad_alloc&) {
      // The engine cuts off the response then, if it cannot send one.
    }
    failure_.reset();
    result.was_reached = was_reached_;
    return result;
  }

  int runs = 0;  ///< of the handler

 private:
  static fw::Config config() {
    fw::Config config = TestApp::test_config();
    config.request_context.enabled = true;
    config.access_log.enabled = false;
    return config;
  }

  static inline bool was_reached_ = false;

  std::optional<fw::support::AtAllocation> failure_;
  const std::function<void(fw::Request&)> handler_;
  const std::function<void(fw::Request&)> middleware_;
  OneFileApp app_{[this](fw::Router& router) {
                    router.get("/",
                               {.cache = fw::RouteCacheOptions{.ttl = std::chrono::seconds(60)}},
                               [this](fw::Request& req, fw::Response& res) {
                                 ++runs;
                                 res.json({{"a", 1}});
                                 handler_(req);
                               });
                  },
                  config(),
                  [this](fw::App& app) {
                    app.use([this](fw::Request& req, fw::Response&, const fw::Next& next) {
                      next();
                      middleware_(req);
                    });
                  }};
};

}  // namespace

TEST_CASE("observed reads: a response is not stored if memory for what it depends on is lacking") {
  std::size_t number = 0;
  App app(
      [&](fw::Request&) {
        fw::current_request();  // the id of the request, which is recorded after the handler
        if (number > 0) app.fail_at(number);
      },
      [](fw::Request&) {});
  bool was_reached = false;
  do {
    ++number;
    CAPTURE(number);
    const int before = app.runs;
    const App::Result result = app.get();
    was_reached = result.was_reached;
    // Without the field, the cache has failed later.
    const std::string control = result.field("cache-control");
    if (result.is_sent()) CHECK((control == "no-store" || control.empty()));
    CHECK(app.runs == before + 1);  // no request gets what an earlier one has left in the cache
  } while (was_reached);
  CHECK(number > 2);
}

TEST_CASE("observed reads: memory that middlewares lack does not make a response public") {
  std::size_t number = 0;
  App app([](fw::Request&) {},
          [&](fw::Request& req) {
            (void)req.ip();
            if (number > 0) app.fail_at(number);
          });
  CHECK(app.get().field("cache-control").starts_with("private, max-age="));
  bool was_reached = false;
  bool was_incomplete = false;
  do {
    ++number;
    CAPTURE(number);
    const App::Result result = app.get();
    was_reached = result.was_reached;
    if (!result.is_sent()) continue;
    const std::string control = result.field("cache-control");
    was_incomplete = was_incomplete || control == "no-store";
    CHECK((control == "no-store" || control.starts_with("private, max-age=")));
  } while (was_reached);
  CHECK(was_incomplete);
  CHECK(app.runs == 1);
}

}  // namespace observed_reads_test
