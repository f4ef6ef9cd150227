// A store that fails when a test says so, and remembers how long its entries live.
#pragma once

#include <fairway/store.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace pairs {

class WatchedStore : public fw::Store {
 public:
  using Milliseconds = std::chrono::milliseconds;

  WatchedStore(std::shared_ptr<fw::Store> store, bool is_shared)
      : store_(std::move(store)), is_shared_(is_shared) {}

  /// The call with this number from now on throws StoreError; 0: none does.
  void fail_at(int call) { calls_until_failure_ = call; }
  /// Whether the call of `fail_at` has been made.
  bool has_failed() const { return has_failed_.exchange(false); }

  /// The keys that were written since the last call.
  std::set<std::string, std::less<>> take_keys() {
    const std::lock_guard lock(mutex_);
    return std::exchange(keys_, {});
  }
  /// The longest time to live that was given to a key, and the key.
  std::pair<Milliseconds, std::string> longest() const {
    const std::lock_guard lock(mutex_);
    return {longest_, longest_key_};
  }

  /// The longest key of `increment`.
  std::string longest_counted() const {
    const std::lock_guard lock(mutex_);
    return longest_counted_;
  }

  std::optional<std::string> get(std::string_view key) override { return store().get(key); }
  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    return store().get_object(key, convert);
  }
  void set(std::string_view key, std::string_view value, Milliseconds ttl) override {
    note(key, ttl);
    store().set(key, value, ttl);
  }
  bool set_if_absent(std::string_view key, std::string_view value, Milliseconds ttl) override {
    note(key, ttl);
    return store().set_if_absent(key, value, ttl);
  }
  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    Milliseconds ttl) override {
    note(key, ttl);
    return store().set_if_equal(key, expected, value, ttl);
  }
  bool erase(std::string_view key) override { return store().erase(key); }
  Window increment(std::string_view key, Milliseconds window, std::int64_t most) override {
    note(key, window);
    {
      const std::lock_guard lock(mutex_);
      if (key.size() > longest_counted_.size()) longest_counted_ = key;
    }
    return store().increment(key, window, most);
  }
  void tag(std::string_view key, std::span<const std::string> tags) override {
    store().tag(key, tags);
  }
  std::size_t erase_tagged(std::string_view tag) override { return store().erase_tagged(tag); }
  bool is_shared() const override { return is_shared_; }

 private:
  fw::Store& store() {
    if (calls_until_failure_ > 0 && --calls_until_failure_ == 0) {
      has_failed_ = true;
      throw fw::StoreError("the store did not reply in time");
    }
    return *store_;
  }
  void note(std::string_view key, Milliseconds ttl) {
    const std::lock_guard lock(mutex_);
    keys_.emplace(key);
    if (ttl <= longest_) return;
    longest_ = ttl;
    longest_key_ = key;
  }

  const std::shared_ptr<fw::Store> store_;
  const bool is_shared_;
  std::atomic<int> calls_until_failure_ = 0;
  mutable std::atomic<bool> has_failed_ = false;
  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> keys_;
  Milliseconds longest_{0};
  std::string longest_key_;
  std::string longest_counted_;
};

}  // namespace pairs
