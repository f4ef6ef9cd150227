// Stores for state that outlives a request: sessions, rate limits, cached responses
// (docs/stores.md).
#pragma once

#include <fairway/units.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace fw {

/// Thrown if a store cannot be reached, does not respond in time, or is full. Routes that use the
/// session then respond with 503, the rate limiter acts as configured, and routes with a cache run
/// their handlers.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Strings by key, each with a time to live. Implementations are thread-safe, every member function
/// is atomic, and each may throw StoreError. A time to live or window that is not positive throws
/// std::invalid_argument.
///
///   app.set_store("session", fw::memory_store({.max_entries = 10'000}));
class Store {
 public:
  /// The result of `increment`.
  struct Window {
    bool counted = false;                ///< false if the window had `most` events already
    std::int64_t count = 0;              ///< events in the window, this one included if counted
    std::chrono::milliseconds reset{0};  ///< until the oldest of them leaves the window
  };

  /// What a value was converted to, for example by parsing it.
  struct Object {
    std::shared_ptr<const void> value;  ///< null if the value cannot be converted
    std::size_t bytes = 0;              ///< its approximate memory
  };
  /// Converts a value. Several threads may call it at a time.
  using Convert = Object (*)(const std::shared_ptr<const std::string>& value);

  virtual ~Store() = default;

  /// The value of a key; nothing when there is none, or when it has expired.
  virtual std::optional<std::string> get(std::string_view key) = 0;
  /// The value of a key after its conversion; null when `get` returns nothing, or when the value
  /// cannot be converted. A store may keep the object and return it again to callers with the same
  /// function, as long as the key has the value; the memory store does if it has room.
  virtual std::shared_ptr<const void> get_object(std::string_view key, Convert convert) {
    auto value = get(key);
    if (!value) return nullptr;
    return convert(std::make_shared<const std::string>(std::move(*value))).value;
  }
  /// Stores a value; replaces an existing one.
  virtual void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) = 0;
  /// Stores a value unless the key has one. True if it did.
  virtual bool set_if_absent(std::string_view key, std::string_view value,
                             std::chrono::milliseconds ttl) = 0;
  /// Stores a value if the key's value is `expected`. True if it did; the key keeps its tags.
  virtual bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                            std::chrono::milliseconds ttl) = 0;
  /// Erases a value. True if there was one.
  virtual bool erase(std::string_view key) = 0;
  /// Counts an event of `key` in the sliding window that ends now, unless `most` events have been
  /// counted in it. An implementation may keep an event in the window for a short time more, so
  /// that it need not store each one. Use such keys only with `increment` and `erase`.
  virtual Window increment(std::string_view key, std::chrono::milliseconds window,
                           std::int64_t most) = 0;
  /// Adds tags to a value; without effect if there is none. The tags are removed together with the
  /// value.
  virtual void tag(std::string_view key, std::span<const std::string> tags) = 0;
  /// Erases the values that have a tag; may also erase values that have been replaced since they
  /// were tagged. Returns their number. A store on the network may erase many values in several
  /// steps, between which others see some of them; all are gone when it returns.
  virtual std::size_t erase_tagged(std::string_view tag) = 0;
  /// Whether other processes see the same values: a cluster reports at startup which features do
  /// not share their state.
  virtual bool is_shared() const { return true; }

  /// Like `get`, and renews the time to live of the value. By default two operations: a value that
  /// is replaced between them is not renewed.
  virtual std::optional<std::string> get_and_renew(std::string_view key,
                                                   std::chrono::milliseconds ttl) {
    auto value = get(key);
    if (value) set_if_equal(key, *value, *value, ttl);
    return value;
  }
  /// Like `get_object`, and renews the time to live of the value.
  virtual std::shared_ptr<const void> get_object_and_renew(std::string_view key, Convert convert,
                                                           std::chrono::milliseconds ttl) {
    auto value = get_and_renew(key, ttl);
    if (!value) return nullptr;
    return convert(std::make_shared<const std::string>(std::move(*value))).value;
  }

 protected:
  /// For implementations: throws std::invalid_argument unless the duration is positive.
  static void require_positive(std::chrono::milliseconds duration) {
    if (duration.count() <= 0) {
      throw std::invalid_argument("a time to live or window in a store must be positive");
    }
  }
};

/// Limits of a memory store. When it is full, it removes objects of values, then the least recently
/// used values: first those that were written once and never read, while they take up more than an
/// eighth of it.
struct MemoryStoreOptions {
  std::size_t max_entries = 100'000;  ///< values
  ByteSize max_memory = "64mb";       ///< of keys, values and their bookkeeping
  /// The clock, for tests; empty: std::chrono::steady_clock.
  std::function<std::chrono::steady_clock::time_point()> clock = {};
};

/// A store in the memory of this process. It is split into parts with a lock each, so that threads
/// seldom wait for each other; the limits are divided among the parts. A value that does not fit
/// into its part is a StoreError. Throws std::invalid_argument for a limit of zero or a malformed
/// size.
std::shared_ptr<Store> memory_store(MemoryStoreOptions options = {});

/// How `redis_store` connects.
struct RedisStoreOptions {
  /// `redis://[[user]:password@]host[:port][/database]`, `rediss://…` for TLS, or
  /// `unix://[[user]:password@]/path[?db=database]`; user and password percent-encoded.
  std::string url = "redis://127.0.0.1:6379";
  std::string key_prefix = "fw:";  ///< begins each key, for applications that share a database
  Milliseconds timeout = 1'000;    ///< of each operation, connecting included
  int connections = 2;             ///< of this process; each serves many threads at a time
  std::string ca_file = {};        ///< trusted certificates (PEM) for TLS; empty: the system's
};

/// A store in a Redis server, version 5 or newer, shared by all processes with the same database
/// and prefix. It connects on first use, and again when a connection is lost. While the server is
/// down, operations fail at once, except for an attempt to connect every half second. Throws
/// std::invalid_argument for invalid options, and if the library was built without hiredis.
std::shared_ptr<Store> redis_store(RedisStoreOptions options = {});

}  // namespace fw
