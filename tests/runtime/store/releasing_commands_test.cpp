// Claims of the response cache of which a store that has failed does not say whether they exist.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/cache_commands.hpp"
#include "support/failing_store.hpp"

namespace releasing_commands_test {

namespace {

using fw::StoreError;
using fw::support::FailingStore;
using namespace std::chrono_literals;

/// A store whose commands fail after they have had their effect, while `loses_replies` is set.
struct LossyStore : FailingStore {
  bool loses_replies = false;
  int releases = 0;

  bool set_if_absent(std::string_view key, std::string_view value,
                     std::chrono::milliseconds ttl) override {
    const bool is_set = FailingStore::set_if_absent(key, value, ttl);
    if (loses_replies) throw StoreError("no reply");
    return is_set;
  }
  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    std::chrono::milliseconds ttl) override {
    ++releases;
    return FailingStore::set_if_equal(key, expected, value, ttl);
  }
};

/// The commands of one process.
class Process {
 public:
  explicit Process(fw::Store& store)
      : commands_(fw::store::releasing_commands(fw::store::cache_commands_of(store))) {}

  bool claim(const std::string& claim, const std::string& id) {
    return commands_->claim(claim, id, 10min, "entry", convert).is_claimed;
  }
  void release(const std::string& claim, const std::string& id) {
    const fw::store::CacheCommands::OwnClaim own{.claim = claim, .id = id};
    commands_->release({&own, 1});
  }
  void put(const std::string& claim, const std::string& id) {
    commands_->put({.key = "entry",
                    .value = "value",
                    .ttl = 10min,
                    .group = "group",
                    .most = 10,
                    .claim = claim,
                    .id = id});
  }
  void read() { commands_->read("entry", {}, {}, convert); }

 private:
  static fw::Store::Object convert(const std::shared_ptr<const std::string>& bytes) {
    return {.value = bytes, .bytes = bytes->size()};
  }

  const std::unique_ptr<fw::store::CacheCommands> commands_;
};

}  // namespace

TEST_CASE("cache claims: one whose command got no reply ends with the next look-up") {
  LossyStore store;
  Process one(store);
  Process other(store);
  store.loses_replies = true;
  CHECK_THROWS_AS(one.claim("c", "1"), StoreError);
  store.loses_replies = false;
  CHECK_FALSE(other.claim("c", "2"));
  one.read();
  CHECK(other.claim("c", "2"));
  // What belongs to another process stays, and nothing more is sent.
  const int releases = store.releases;
  one.read();
  CHECK(store.releases == releases);
  CHECK_FALSE(one.claim("c", "3"));
}

TEST_CASE("cache claims: one that could not be ended while the store was down ends afterwards") {
  for (const bool has_response : {true, false}) {
    CAPTURE(has_response);
    LossyStore store;
    Process one(store);
    Process other(store);
    CHECK(one.claim("c", "1"));
    store.failing = true;
    if (has_response) {
      CHECK_THROWS_AS(one.put("c", "1"), StoreError);
    } else {
      CHECK_THROWS_AS(one.release("c", "1"), StoreError);
    }
    CHECK_THROWS_AS(one.read(), StoreError);
    store.failing = false;
    CHECK_FALSE(other.claim("c", "2"));
    one.read();
    CHECK(other.claim("c", "2"));
  }
}

TEST_CASE("cache claims: an unknown one that another process has by now stays") {
  LossyStore store;
  Process one(store);
  Process other(store);
  CHECK(one.claim("c", "1"));
  store.failing = true;
  CHECK_THROWS_AS(one.release("c", "1"), StoreError);
  store.failing = false;
  store.erase("c");  // it expires, or the store loses its content
  CHECK(other.claim("c", "2"));
  one.read();
  CHECK(store.get("c") == "2");
}

TEST_CASE("cache claims: a release that fails is repeated once") {
  struct ReadOnlyStore : LossyStore {
    bool is_read_only = true;
    bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                      std::chrono::milliseconds ttl) override {
      const bool is_set = LossyStore::set_if_equal(key, expected, value, ttl);
      if (is_read_only) throw StoreError("read-only");
      return is_set;
    }
  };
  ReadOnlyStore store;
  Process process(store);
  process.claim("c", "1");
  CHECK_THROWS_AS(process.release("c", "1"), StoreError);
  CHECK(store.releases == 1);
  for (int i = 0; i < 5; ++i) process.read();
  CHECK(store.releases == 3);
}

TEST_CASE("cache claims: the number of unknown ones is bounded, and so is what a request ends") {
  LossyStore store;
  Process process(store);
  store.failing = true;
  for (int i = 0; i < 3'000; ++i) {
    CHECK_THROWS_AS(process.claim(std::to_string(i), "1"), StoreError);
  }
  store.failing = false;
  process.read();
  CHECK(store.releases == 100);
  for (int i = 0; i < 100; ++i) process.read();
  CHECK(store.releases == 1'000);
}

}  // namespace releasing_commands_test
