// What every store promises, on each implementation; what the memory store does besides.
#include <fairway/app.hpp>
#include <fairway/errors.hpp>
#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "store/stores.hpp"
#include "support/allocation_count.hpp"
#include "support/failing_store.hpp"
#if FAIRWAY_REDIS
#include "redis_server.hpp"
#endif

namespace store_test {

namespace {

using namespace std::chrono_literals;
using fw::Store;
using std::chrono::milliseconds;

using Strings = std::vector<std::string>;

/// A clock that only tests move.
struct Clock {
  std::shared_ptr<std::chrono::steady_clock::time_point> now =
      std::make_shared<std::chrono::steady_clock::time_point>();
  void advance(milliseconds duration) const { *now += duration; }
};

std::shared_ptr<Store> store_on(const Clock& clock, std::size_t max_entries = 100'000,
                                fw::ByteSize max_memory = "64mb") {
  return fw::memory_store({.max_entries = max_entries,
                           .max_memory = max_memory,
                           .clock = [now = clock.now] { return *now; }});
}

struct Memory {
  std::shared_ptr<Store> store = fw::memory_store();
};

#if FAIRWAY_REDIS
struct Redis {
  fairway::test::RedisServer server;
  std::shared_ptr<Store> store = fw::redis_store({.url = server.url(), .timeout = 60'000});
};
#define EACH_STORE Memory, Redis
#else
#define EACH_STORE Memory
#endif

std::atomic<int> conversions = 0;

/// Converts a number to an int that says that it takes 3000 bytes.
Store::Object to_number(const std::shared_ptr<const std::string>& value) {
  ++conversions;
  if (value->find_first_not_of("0123456789") != std::string::npos) return {};
  return {.value = std::make_shared<const int>(std::stoi(*value)), .bytes = 3000};
}

Store::Object to_length(const std::shared_ptr<const std::string>& value) {
  return {.value = std::make_shared<const int>(static_cast<int>(value->size())), .bytes = 4};
}

/// -1 if there is no object.
int object_of(Store& store, std::string_view key, Store::Convert convert = to_number) {
  const auto object = store.get_object(key, convert);
  return object ? *static_cast<const int*>(object.get()) : -1;
}

/// Runs `action` on several threads at once.
template <class Action>
void on_threads(int count, Action action) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&action, i] { action(i); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("memory store: values expire after their time to live") {
  const Clock clock;
  const auto store = store_on(clock);
  CHECK_FALSE(store->get("a"));
  store->set("a", "1", 100ms);
  store->set("b", "", 200ms);
  CHECK(store->get("a") == "1");
  CHECK(store->get("b") == "");
  clock.advance(99ms);
  CHECK(store->get("a") == "1");
  clock.advance(1ms);
  CHECK_FALSE(store->get("a"));
  CHECK_FALSE(store->erase("a"));
  store->set("b", "2", 200ms);
  clock.advance(199ms);
  CHECK(store->get("b") == "2");
}

TEST_CASE_TEMPLATE("store: conditional writes compare the current value", Implementation,
                   EACH_STORE) {
  const Implementation implementation;
  const std::shared_ptr<Store>& store = implementation.store;
  CHECK(store->set_if_absent("a", "1", 1min));
  CHECK_FALSE(store->set_if_absent("a", "2", 1min));
  CHECK(store->get("a") == "1");
  CHECK_FALSE(store->set_if_equal("a", "2", "3", 1min));
  CHECK(store->set_if_equal("a", "1", "3", 1min));
  CHECK(store->get("a") == "3");
  CHECK(store->erase("a"));
  CHECK_FALSE(store->erase("a"));
  CHECK_FALSE(store->set_if_equal("a", "3", "4", 1min));
  CHECK(store->set_if_absent("a", "5", 1min));
  const std::string binary("a\0b\r\n\xFF", 6);
  store->set(binary, binary, 1min);
  CHECK(store->get(binary) == binary);
}

TEST_CASE_TEMPLATE("store: the cached object of a key is rebuilt for a new value", Implementation,
                   EACH_STORE) {
  const Implementation implementation;
  Store& store = *implementation.store;
  CHECK(object_of(store, "a") == -1);
  store.set("a", "100", 1h);
  CHECK(object_of(store, "a") == 100);
  CHECK(object_of(store, "a", to_length) == 3);
  CHECK(object_of(store, "a") == 100);
  store.set("a", "2000", 1h);
  CHECK(object_of(store, "a") == 2000);
  CHECK(store.set_if_equal("a", "2000", "3", 1h));
  CHECK(object_of(store, "a") == 3);
  CHECK(store.get("a") == "3");
  store.set("a", "no number", 1h);
  CHECK(object_of(store, "a") == -1);
  CHECK(object_of(store, "a", to_length) == 9);
  store.set("a", "4", 1h);
  CHECK(object_of(store, "a") == 4);
  CHECK(store.erase("a"));
  CHECK(object_of(store, "a") == -1);
  store.increment("window", 1h, 1);
  CHECK_THROWS_AS(object_of(store, "window"), fw::StoreError);
}

TEST_CASE("memory store: an object is stored with its value, and counts in the memory limit") {
  const Clock clock;
  const auto store = store_on(clock, 1000, "8kb");
  const auto converts = [&](std::string_view key) {
    const int before = conversions;
    CHECK(object_of(*store, key) >= 0);
    return conversions > before;
  };
  for (const std::string key : {"1", "2", "3"}) store->set(key, key, 1h);
  CHECK(converts("1"));
  CHECK_FALSE(converts("1"));
  CHECK(store->set_if_equal("1", "1", "1", 1h));
  CHECK_FALSE(converts("1"));
  CHECK(store->set_if_equal("1", "1", "11", 1h));
  CHECK(converts("1"));

  // There is room for two objects.
  CHECK(converts("2"));
  CHECK(converts("3"));
  CHECK_FALSE(converts("2"));
  CHECK_FALSE(converts("3"));
  CHECK(converts("1"));
  for (const std::string key : {"1", "2", "3"}) CHECK(store->get(key));

  store->set("large", std::string(6500, '0'), 1h);
  for (const std::string key : {"1", "2", "3"}) CHECK(store->get(key));
  CHECK(converts("1"));  // which leaves no room for its object
  CHECK(converts("1"));
  CHECK(store->get("large"));
  CHECK(store->erase("large"));
  CHECK(converts("1"));
  CHECK_FALSE(converts("1"));
  clock.advance(1h);
  CHECK(object_of(*store, "1") == -1);
}

TEST_CASE("memory store: concurrent replacements never return the object of another value") {
  const auto store = fw::memory_store();
  store->set("a", "1", 1h);
  std::atomic<int> wrong = 0;
  on_threads(4, [&](int thread) {
    for (int i = 1; i <= 500; ++i) {
      // Numbers of this thread; after its write, the value is that, or a later one of another.
      const int number = 10 * i + thread;
      const std::string key = std::to_string(thread);
      store->set(key, std::to_string(number), 1h);
      if (object_of(*store, key) != number) ++wrong;
      store->set("shared", std::to_string(number), 1h);
      if (object_of(*store, "shared") < 10) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("memory store: set_if_equal renews the time to live") {
  const Clock clock;
  const auto store = store_on(clock);
  store->set("a", "1", 100ms);
  clock.advance(50ms);
  CHECK(store->set_if_equal("a", "1", "1", 100ms));
  clock.advance(99ms);
  CHECK(store->get("a") == "1");
  clock.advance(1ms);
  CHECK_FALSE(store->set_if_equal("a", "1", "2", 100ms));
  CHECK(store->set_if_absent("a", "3", 100ms));
}

TEST_CASE_TEMPLATE("store: durations must be positive", Implementation, EACH_STORE) {
  const Implementation implementation;
  const std::shared_ptr<Store>& store = implementation.store;
  CHECK_THROWS_AS(store->set("a", "1", 0ms), std::invalid_argument);
  CHECK_THROWS_AS(store->set_if_absent("a", "1", -1ms), std::invalid_argument);
  CHECK_THROWS_AS(store->set_if_equal("a", "1", "1", 0ms), std::invalid_argument);
  CHECK_THROWS_AS(store->increment("a", 0ms, 1), std::invalid_argument);
}

TEST_CASE_TEMPLATE("store: values expire unless renewed", Implementation, EACH_STORE) {
  const Implementation implementation;
  const std::shared_ptr<Store>& store = implementation.store;
  const auto wait_until_gone = [&](const std::string& key) {
    while (store->get(key)) std::this_thread::sleep_for(1ms);
  };
  store->set("a", "1", 1ms);
  store->set("b", "1", 10min);
  store->tag("b", Strings{"x"});
  store->set("c", "1", 1ms);
  wait_until_gone("a");
  wait_until_gone("c");
  CHECK(store->get("b") == "1");
  CHECK(store->set_if_absent("a", "2", 10min));
  CHECK(store->set_if_equal("b", "1", "1", 1ms));
  wait_until_gone("b");
  CHECK(store->erase_tagged("x") == 0);
  CHECK(store->get("a") == "2");
}

TEST_CASE_TEMPLATE("store: a window reports its remaining events and its end", Implementation,
                   EACH_STORE) {
  const Implementation implementation;
  const std::shared_ptr<Store>& store = implementation.store;
  for (int i = 1; i <= 4; ++i) {
    const Store::Window window = store->increment("k", 10min, 3);
    CHECK(window.counted == (i <= 3));
    CHECK(window.count == std::min(i, 3));
    CHECK(window.reset <= 10min);
    CHECK(window.reset > 9min);
  }
  CHECK(store->increment("k", 10min, 4).counted);
  CHECK(store->increment("other", 10min, 3).count == 1);
  const Store::Window none = store->increment("none", 10min, 0);
  CHECK_FALSE(none.counted);
  CHECK(none.count == 0);
  CHECK(none.reset == 10min);
  CHECK(store->erase("k"));
  CHECK(store->increment("k", 10min, 3).count == 1);
  // Events leave one by one.
  CHECK(store->increment("short", 20ms, 1).counted);
  while (!store->increment("short", 20ms, 1).counted) std::this_thread::sleep_for(1ms);
  CHECK(store->increment("short", 10min, 9).count <= 2);
}

TEST_CASE("memory store: a sliding window admits up to its limit") {
  const Clock clock;
  const auto store = store_on(clock);
  const auto count = [&](bool counted, std::int64_t total, milliseconds reset) {
    const Store::Window window = store->increment("k", 1000ms, 2);
    CHECK(window.counted == counted);
    CHECK(window.count == total);
    CHECK(window.reset == reset);
  };
  count(true, 1, 1000ms);
  clock.advance(600ms);
  count(true, 2, 400ms);
  clock.advance(300ms);
  count(false, 2, 100ms);
  clock.advance(100ms);  // the first event leaves, the second stays
  count(true, 2, 600ms);
  count(false, 2, 600ms);
  clock.advance(1000ms);
  count(true, 1, 1000ms);
  CHECK(store->increment("other", 1000ms, 2).count == 1);
  CHECK(store->erase("k"));
  count(true, 1, 1000ms);
  CHECK_FALSE(store->increment("none", 1000ms, 0).counted);
}

TEST_CASE("memory store: a window has constant size, however many events it counts") {
  const Clock clock;
  const auto store = store_on(clock, 1000, "8kb");
  store->set("a", std::string(6000, 'x'), 24h);
  CHECK(store->get("a"));
  for (int i = 0; i < 3000; ++i) {
    CHECK(store->increment("k", 1h, 2000).counted == (i < 2000));
    clock.advance(1s);
  }
  CHECK(store->get("a"));
}

TEST_CASE("memory store: no sliding window admits more events than its limit") {
  for (const std::int64_t most : {1, 2, 30, 31, 100, 1000}) {
    CAPTURE(most);
    const Clock clock;
    const auto store = store_on(clock);
    std::vector<milliseconds> admitted;
    std::vector<milliseconds> refused;
    milliseconds time{0};
    // Bursts and pauses, the same in each run.
    for (unsigned state = 1; time < 60s; state = state * 1'103'515'245U + 12'345U) {
      const milliseconds pause((state >> 16U) % 64 == 0 ? (state >> 22U) % 1000
                                                        : (state >> 22U) % 4);
      clock.advance(pause);
      time += pause;
      const Store::Window window = store->increment("k", 10s, most);
      (window.counted ? admitted : refused).push_back(time);
      CHECK(window.count <= most);
      CHECK(window.reset > 0ms);
      CHECK(window.reset <= 10s);
    }
    const auto limit = static_cast<std::size_t>(most);
    REQUIRE(admitted.size() > limit);
    for (std::size_t i = limit; i < admitted.size(); ++i) {
      CHECK(admitted[i] - admitted[i - limit] >= 10s);
    }
    // An event is refused only while the limit has been reached in a window that is longer by a
    // thirtieth; for few events, in the window itself.
    const milliseconds longest = most <= 30 ? milliseconds(10'000) : milliseconds(10'334);
    for (const milliseconds each : refused) {
      CHECK(std::count_if(admitted.begin(), admitted.end(), [&](milliseconds other) {
              return other <= each && other > each - longest;
            }) >= most);
    }
  }
}

TEST_CASE_TEMPLATE("store: reading can renew the time to live", Implementation, EACH_STORE) {
  const Implementation implementation;
  Store& store = *implementation.store;
  CHECK_FALSE(store.get_and_renew("a", 1min));
  CHECK(store.get_object_and_renew("a", to_number, 1min) == nullptr);
  CHECK_FALSE(store.get("a"));
  store.set("a", "7", 10min);
  CHECK(store.get_and_renew("a", 10min) == "7");
  CHECK(*static_cast<const int*>(store.get_object_and_renew("a", to_number, 10min).get()) == 7);
  CHECK(store.get_and_renew("a", 1ms) == "7");  // shorter, to see it
  while (store.get("a")) std::this_thread::sleep_for(1ms);
  store.set("a", "8", 10min);
  store.get_object_and_renew("a", to_number, 1ms);
  while (store.get("a")) std::this_thread::sleep_for(1ms);
  CHECK_THROWS_AS(store.get_and_renew("a", 0ms), std::invalid_argument);
  CHECK_THROWS_AS(store.get_object_and_renew("a", to_number, 0ms), std::invalid_argument);
  store.increment("window", 10min, 1);
  CHECK_THROWS_AS(store.get_and_renew("window", 1min), fw::StoreError);
}

TEST_CASE("memory store: reading can renew the time to live") {
  const Clock clock;
  const auto store = store_on(clock);
  store->set("a", "1", 100ms);
  store->set("b", "2", 100ms);
  clock.advance(99ms);
  CHECK(store->get_and_renew("a", 100ms) == "1");
  CHECK(*static_cast<const int*>(store->get_object_and_renew("b", to_number, 100ms).get()) == 2);
  clock.advance(99ms);
  CHECK(store->get("a") == "1");
  CHECK(store->get("b") == "2");
  clock.advance(1ms);
  CHECK_FALSE(store->get("a"));
  CHECK_FALSE(store->get_object_and_renew("b", to_number, 100ms));
}

TEST_CASE("store: a custom store without renewing functions renews by writing") {
  fw::support::FailingStore store;  // has none of the functions that renew
  store.set("a", "7", 10min);
  CHECK(store.get_and_renew("a", 10min) == "7");
  CHECK(*static_cast<const int*>(store.get_object_and_renew("a", to_number, 1ms).get()) == 7);
  while (store.get("a")) std::this_thread::sleep_for(1ms);
  CHECK_FALSE(store.get_and_renew("a", 1min));
}

TEST_CASE_TEMPLATE("store: a window admits exactly its limit of concurrent events", Implementation,
                   EACH_STORE) {
  const Implementation implementation;
  const std::shared_ptr<Store>& store = implementation.store;
  std::atomic<int> admitted = 0;
  on_threads(8, [&](int) {
    for (int i = 0; i < 50; ++i) {
      if (store->increment("k", 10min, 100).counted) ++admitted;
    }
  });
  CHECK(admitted == 100);
}

TEST_CASE_TEMPLATE("store: concurrent conditional writes lose no update", Implementation,
                   EACH_STORE) {
  const Implementation implementation;
  const std::shared_ptr<Store>& store = implementation.store;
  store->set("n", "0", 10min);
  on_threads(8, [&](int) {
    for (int i = 0; i < 50; ++i) {
      std::string seen;
      do {
        seen = store->get("n").value();
      } while (!store->set_if_equal("n", seen, std::to_string(std::stoi(seen) + 1), 10min));
    }
  });
  CHECK(store->get("n") == "400");
}

TEST_CASE_TEMPLATE("store: tagged values are erased together", Implementation, EACH_STORE) {
  const Implementation implementation;
  const std::shared_ptr<Store>& store = implementation.store;
  store->set("a", "1", 1min);
  store->set("b", "2", 1min);
  store->set("c", "3", 1min);
  store->tag("a", Strings{"x", "y"});
  store->tag("b", Strings{"x"});
  store->tag("absent", Strings{"x"});
  CHECK(store->erase_tagged("none") == 0);
  CHECK(store->erase_tagged("x") == 2);
  CHECK_FALSE(store->get("a"));
  CHECK_FALSE(store->get("b"));
  CHECK(store->get("c") == "3");
  CHECK(store->erase_tagged("x") == 0);
  store->tag("c", Strings{"z"});
  CHECK(store->set_if_equal("c", "3", "5", 1min));
  store->set("a", "6", 1min);
  CHECK(store->erase_tagged("z") == 1);
  CHECK_FALSE(store->get("c"));
}

TEST_CASE("memory store: the least recently used values are evicted") {
  const Clock clock;
  const auto store = store_on(clock, 3);
  store->set("a", "1", 1h);
  store->set("b", "2", 1h);
  store->set("c", "3", 1h);
  CHECK(store->get("a"));
  store->set("d", "4", 1h);
  CHECK_FALSE(store->get("b"));
  CHECK(store->get("a"));
  CHECK(store->get("c"));
  CHECK(store->get("d"));
}

TEST_CASE("memory store: memory is limited") {
  const Clock clock;
  const auto store = store_on(clock, 1000, "8kb");
  const std::string value(3000, 'x');
  store->set("a", value, 1h);
  store->set("b", value, 1h);
  CHECK(store->get("a"));
  store->set("c", value, 1h);
  CHECK(store->get("a"));
  CHECK_FALSE(store->get("b"));
  CHECK_THROWS_WITH_AS(
      store->set("d", std::string(8200, 'x'), 1h),
      doctest::Contains("does not fit into the memory store, each part of which has 8192 bytes: "
                        "raise maxMemory"),
      fw::StoreError);
  CHECK(store->get("a"));
  CHECK_THROWS_AS(store->set_if_equal("a", value, std::string(8200, 'x'), 1h), fw::StoreError);
  CHECK(store->get("a") == value);
  store->set("b", value, 1h);
  CHECK_FALSE(store->get("c"));
  for (int i = 0; i < 100; ++i) {
    store->set("t", "1", 1h);
    store->tag("t", Strings{"tag" + std::to_string(i)});
  }
  CHECK(store->erase_tagged("tag99") == 1);
  CHECK(store->erase_tagged("tag98") == 0);
}

TEST_CASE("memory store: new values do not evict values that have been read") {
  const Clock clock;
  const auto store = store_on(clock, 80);
  const auto key = [](const char* name, int i) { return name + std::to_string(i); };
  for (int i = 0; i < 60; ++i) {
    store->set(key("session", i), "1", 1h);
    CHECK(store->get(key("session", i)));
  }
  store->increment("window", 1h, 5);
  store->increment("window", 1h, 5);
  for (int i = 0; i < 1000; ++i) {
    store->set(key("flood", i), "1", 1h);
    store->tag(key("flood", i), Strings{"flood"});
    CHECK(store->set_if_equal(key("flood", i), "1", "2", 1h));  // written, but not read
  }
  for (int i = 0; i < 60; ++i) CHECK(store->get(key("session", i)));
  CHECK(store->increment("window", 1h, 5).count == 3);
  CHECK(store->get("flood999"));
  CHECK_FALSE(store->get("flood900"));

  // New values have an eighth of the store, also if all others are in use.
  for (int i = 0; i < 80; ++i) {
    store->set(key("used", i), "1", 1h);
    CHECK(store->get(key("used", i)));
  }
  for (int i = 0; i < 1000; ++i) store->set(key("new", i), "1", 1h);
  int new_values = 0;
  int used_values = 0;
  for (int i = 0; i < 80; ++i) used_values += store->erase(key("used", i)) ? 1 : 0;
  for (int i = 0; i < 1000; ++i) new_values += store->erase(key("new", i)) ? 1 : 0;
  CHECK(new_values == 10);
  CHECK(used_values == 70);
}

TEST_CASE("memory store: new values do not evict larger values that have been read") {
  const Clock clock;
  const auto store = store_on(clock, 1000, "80kb");
  const std::string value(3000, 'x');
  for (const char* key : {"a", "b", "c"}) {
    store->set(key, value, 1h);
    CHECK(store->get(key));
  }
  for (int i = 0; i < 200; ++i) store->set("flood" + std::to_string(i), value, 1h);
  for (const char* key : {"a", "b", "c"}) CHECK(store->get(key));
  CHECK(store->get("flood199"));
}

TEST_CASE("memory store: clients cannot choose keys of a single shard") {
  // 16 parts with 256 entries each; all these keys have the same part by the hash of the library.
  const auto store = fw::memory_store({.max_entries = 16 * 256});
  std::vector<std::string> keys;
  for (int i = 0; keys.size() < 512; ++i) {
    std::string key = "key" + std::to_string(i);
    if (std::hash<std::string_view>{}(key) % 16 == 0) keys.push_back(std::move(key));
  }
  for (const std::string& key : keys) store->set(key, "1", 1h);
  for (const std::string& key : keys) CHECK(store->get(key));
}

TEST_CASE("memory store: it is consistent after a failed allocation") {
  for (std::size_t number = 1; number <= 12; ++number) {
    CAPTURE(number);
    const Clock clock;
    const auto store = store_on(clock, 3);
    store->set("b", "1", 1h);
    {
      const fw::support::AtAllocation fails(number, [] { return false; });
      try {
        store->set("a", "1", 1h);
        store->tag("a", Strings{"x", "y"});
      } catch (const std::bad_alloc&) {
        // No entry, or one with fewer tags.
      }
    }
    store->set("a", "2", 1h);
    store->tag("a", Strings{"x"});
    CHECK(store->get("a") == "2");
    for (const char* key : {"c", "d", "e", "f"}) store->set(key, "1", 1h);
    CHECK(store->get("a") == "2");
    CHECK(store->erase_tagged("x") == 1);
    CHECK(store->erase_tagged("y") == 0);
    CHECK_FALSE(store->get("a"));
  }
}

TEST_CASE("memory store: a thousand keys over all shards") {
  const auto store = fw::memory_store();
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key" + std::to_string(i);
    store->set(key, key, 1h);
    store->tag(key, Strings{i % 2 == 0 ? "even" : "odd"});
  }
  CHECK(store->erase_tagged("even") == 500);
  CHECK(store->get("key1") == "key1");
  CHECK_FALSE(store->get("key2"));
  CHECK_FALSE(store->is_shared());
}

TEST_CASE("memory store: limits must allow at least one value") {
  CHECK_THROWS_AS(fw::memory_store({.max_entries = 0}), std::invalid_argument);
  CHECK_THROWS_AS(fw::memory_store({.max_memory = 0}), std::invalid_argument);
  CHECK_THROWS_AS(fw::memory_store({.max_memory = "lots"}), std::invalid_argument);
}

TEST_CASE("store: a store that cannot be created fails the start") {
  const auto error = [](const fw::StoreConfig& own) {
    fw::Config config;
    config.logger.level = fw::LogLevel::silent;
    config.session.store = own;
    fw::App app(config);
    try {
      app.start();
    } catch (const fw::StartupError& errors) {
      return std::string(errors.what());
    }
    return std::string();
  };
  CHECK(error({.url = "redis://elsewhere"}) ==
        "configuration: /session/store: a url needs the type \"redis\"");
#if FAIRWAY_REDIS
  CHECK(
      error({.type = fw::StoreType::redis, .url = "http://ada:word@elsewhere"}) ==
      "configuration: /session/store/url: the URL of the Redis server does not begin with "
      "redis://, "
      "rediss:// or unix://: write \"redis://user:password@host:6379/0\", \"rediss://…\" for TLS, "
      "or \"unix:///run/redis.sock?db=0\"");
#else
  CHECK(error({.type = fw::StoreType::redis}) ==
        "configuration: /session/store: this build of Fairway has no Redis store: build it with "
        "hiredis and FAIRWAY_REDIS=ON");
#endif
}

TEST_CASE("store: in memory, no feature evicts values of another feature") {
  fw::Config config;
  config.store.max_entries = 10;
  config.session.store.max_entries = 3;
  fw::store::Stores stores;
  std::vector<std::string> errors;
  stores.open(config, errors);
  CHECK(errors.empty());
  stores.of("session")->set("session:a", "1", 1min);
  for (int i = 0; i < 100; ++i)
    stores.of("rate-limit")->set("rate-limit:" + std::to_string(i), "", 1min);
  CHECK(stores.of("session")->get("session:a") == "1");
  CHECK(stores.of("session")->erase("session:a"));
  const auto kept = [&](const char* feature, int most) {
    int count = 0;
    for (int i = 0; i < most; ++i) stores.of(feature)->set("k" + std::to_string(i), "", 1min);
    for (int i = 0; i < most; ++i)
      count += stores.of(feature)->get("k" + std::to_string(i)) ? 1 : 0;
    return count;
  };
  CHECK(kept("rate-limit", 100) == 10);
  CHECK(kept("session", 100) == 3);
  CHECK(kept("cache", 100) == 100);
}

TEST_CASE("store: the application can set the store of a named feature") {
  fw::App app;
  app.set_store("rate-limit", fw::memory_store());
  CHECK_THROWS_WITH_AS(app.set_store("rates", fw::memory_store()),
                       "app.set_store: there is no feature 'rates'", std::invalid_argument);
  CHECK_THROWS_WITH_AS(app.set_store("rate-limit", nullptr), "app.set_store: the store is null",
                       std::invalid_argument);
}

}  // namespace store_test
