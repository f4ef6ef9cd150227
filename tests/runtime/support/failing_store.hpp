// A store whose failures a test switches on.
#pragma once

#include <fairway/store.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fw::support {

/// A store that is down while `failing` is set.
class FailingStore : public fw::Store {
 public:
  std::atomic<bool> failing = false;
  std::atomic<int> calls = 0;

  std::optional<std::string> get(std::string_view key) override { return store().get(key); }
  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    return store().get_object(key, convert);
  }
  void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
    store().set(key, value, ttl);
  }
  bool set_if_absent(std::string_view key, std::string_view value,
                     std::chrono::milliseconds ttl) override {
    return store().set_if_absent(key, value, ttl);
  }
  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    std::chrono::milliseconds ttl) override {
    return store().set_if_equal(key, expected, value, ttl);
  }
  bool erase(std::string_view key) override { return store().erase(key); }
  Window increment(std::string_view key, std::chrono::milliseconds window,
                   std::int64_t most) override {
    return store().increment(key, window, most);
  }
  void tag(std::string_view key, std::span<const std::string> tags) override {
    store().tag(key, tags);
  }
  std::size_t erase_tagged(std::string_view tag) override { return store().erase_tagged(tag); }

 private:
  fw::Store& store() {
    ++calls;
    if (failing) throw fw::StoreError("the store is down");
    return *store_;
  }
  std::shared_ptr<fw::Store> store_ = fw::memory_store();
};

}  // namespace fw::support
