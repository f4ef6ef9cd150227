// The metrics of stores that processes share.
#include <fairway/config.hpp>
#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "store/async_reader.hpp"
#include "store/cache_commands.hpp"
#include "store/stores.hpp"
#include "support/listed_metrics.hpp"

namespace measured_store_test {

using fw::detail::Exposition;
using namespace std::chrono_literals;

namespace {

/// A store in memory that says that it is shared, and that fails for the key "broken".
class SharedStore : public fw::Store, public fw::store::AsyncReader {
 public:
  std::optional<std::string> get(std::string_view key) override {
    if (key == "broken") throw fw::StoreError("down");
    return store_->get(key);
  }
  void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
    store_->set(key, value, ttl);
  }
  bool set_if_absent(std::string_view key, std::string_view value,
                     std::chrono::milliseconds ttl) override {
    return store_->set_if_absent(key, value, ttl);
  }
  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    std::chrono::milliseconds ttl) override {
    return store_->set_if_equal(key, expected, value, ttl);
  }
  bool erase(std::string_view key) override { return store_->erase(key); }
  Window increment(std::string_view key, std::chrono::milliseconds window,
                   std::int64_t most) override {
    return store_->increment(key, window, most);
  }
  void tag(std::string_view key, std::span<const std::string> tags) override {
    store_->tag(key, tags);
  }
  std::size_t erase_tagged(std::string_view tag) override { return store_->erase_tagged(tag); }

  bool begin_get(std::string_view key, std::shared_ptr<Receiver> receiver) override {
    receiver->receive({.value = std::nullopt, .error = key == "broken" ? "down" : ""});
    return true;
  }
  bool begin_get_and_renew(std::string_view, std::chrono::milliseconds,
                           std::shared_ptr<Receiver>) override {
    return false;
  }

 private:
  std::shared_ptr<fw::Store> store_ = fw::memory_store();
};

struct Receiver : fw::store::AsyncReader::Receiver {
  void receive(fw::store::AsyncReader::Result result) noexcept override {
    error = std::move(result.error);
    ++calls;
  }
  std::string error;
  int calls = 0;
};

struct Opened {
  explicit Opened(bool has_listener = true) {
    stores.set("session", std::make_shared<SharedStore>());
    fw::Config config;
    if (has_listener) config.admin.port = 9464;
    std::vector<std::string> errors;
    stores.open(config, errors);
    CHECK(errors.empty());
  }
  std::string page() const {
    Exposition text(Exposition::Format::prometheus);
    stores.metrics()->write(text);
    const std::string page = text.finish();
    CHECK(fw::support::unlisted_metrics(page) == "");
    return page;
  }
  bool has_count(const std::string& labels, int count) const {
    return page().find("fairway_store_duration_seconds_count{store=\"session\"," + labels + "} " +
                       std::to_string(count) + "\n") != std::string::npos;
  }
  fw::store::Stores stores;
};

}  // namespace

TEST_CASE("store metrics: operations are counted by store, operation and error") {
  const Opened opened;
  fw::Store& store = *opened.stores.of("session");
  store.set("a", "1", 1h);
  CHECK(store.get("a") == "1");
  CHECK(store.get_and_renew("a", 1h) == "1");
  CHECK_THROWS_AS(store.get("broken"), fw::StoreError);
  CHECK(store.set_if_equal("a", "1", "2", 1h));
  CHECK(!store.set_if_absent("a", "3", 1h));
  CHECK(store.increment("n", 1h, 5).counted);
  store.tag("a", std::array<std::string, 1>{"t"});
  CHECK(store.erase_tagged("t") == 1);
  CHECK(!store.erase("a"));
  CHECK(opened.has_count(R"(operation="get")", 1));
  CHECK(opened.has_count(R"(operation="get",error_type="fw::StoreError")", 1));
  for (const char* operation : {"set", "get_and_renew", "set_if_equal", "set_if_absent",
                                "increment", "tag", "erase_tagged", "erase"}) {
    CAPTURE(operation);
    CHECK(opened.has_count("operation=\"" + std::string(operation) + "\"", 1));
  }
  // Stores in memory are not measured.
  opened.stores.of("cache")->set("a", "1", 1h);
  CHECK(opened.page().find("store=\"cache\"") == std::string::npos);
}

TEST_CASE("store metrics: reads without a thread and the commands of the cache are counted") {
  const Opened opened;
  fw::Store& store = *opened.stores.of("session");
  auto* const reader = dynamic_cast<fw::store::AsyncReader*>(&store);
  REQUIRE(reader != nullptr);
  const auto receiver = std::make_shared<Receiver>();
  CHECK(reader->begin_get("a", receiver));
  CHECK(reader->begin_get("broken", receiver));
  CHECK(receiver->error == "down");
  CHECK(receiver->calls == 2);
  // It was not begun, so that the caller reads in another way, which counts.
  CHECK(!reader->begin_get_and_renew("a", 1h, receiver));
  const auto commands = fw::store::cache_commands_of(store);
  commands->replace_version("v", 1h);
  commands->put(
      {.key = "k", .value = "1", .ttl = 1h, .group = "g", .most = 1, .claim = {}, .id = {}});
  CHECK(opened.has_count(R"(operation="get")", 1));
  CHECK(opened.has_count(R"(operation="get",error_type="fw::StoreError")", 1));
  CHECK(opened.has_count(R"(operation="replace_version")", 1));
  CHECK(opened.has_count(R"(operation="put")", 1));
  CHECK(opened.page().find("get_and_renew") == std::string::npos);
  CHECK(opened.page().find("operation=\"set\"") == std::string::npos);
}

TEST_CASE("store metrics: without an admin listener, a store is used as it is") {
  const Opened opened(/*has_listener=*/false);
  CHECK(opened.stores.metrics() == nullptr);
  CHECK(dynamic_cast<SharedStore*>(opened.stores.of("session").get()) != nullptr);
}

}  // namespace measured_store_test
