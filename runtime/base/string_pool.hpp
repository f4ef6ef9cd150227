// A few strings that are found again and again: each is kept once, as long as the pool lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fw::base {

/// Thread-safe, without a lock. For strings that repeat, because a search compares with each one.
class StringPool {
 public:
  /// Whatever chooses the strings, there are no more.
  static constexpr std::size_t kMax = 32;

  StringPool() = default;
  ~StringPool() {
    const Node* node = first_.load();
    while (node != nullptr) delete std::exchange(node, node->next);
  }
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;

  bool empty() const { return first_.load(std::memory_order_acquire) == nullptr; }

  /// The kept string that equals `text`, which is added if it is new; null if the pool is full.
  const std::string* keep(std::string_view text) {
    const Node* first = first_.load(std::memory_order_acquire);
    std::unique_ptr<Node> added;
    while (true) {
      for (const Node* node = first; node != nullptr; node = node->next) {
        if (node->text == text) return &node->text;
      }
      const std::size_t count = first == nullptr ? 0 : first->count;
      if (count == kMax) return nullptr;
      if (!added) added = std::make_unique<Node>(Node{std::string(text), nullptr, 0});
      added->next = first;
      added->count = count + 1;
      if (first_.compare_exchange_weak(first, added.get(), std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        return &added.release()->text;
      }
    }
  }

  /// Calls `use` for each string.
  template <class Use>
  void for_each(const Use& use) const {
    const Node* node = first_.load(std::memory_order_acquire);
    for (; node != nullptr; node = node->next) use(std::string_view(node->text));
  }

 private:
  struct Node {
    std::string text;
    const Node* next;
    std::size_t count;  ///< of this node and those after it
  };

  std::atomic<const Node*> first_ = nullptr;
};

}  // namespace fw::base
