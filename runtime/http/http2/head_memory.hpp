// The memory of the heads of a connection's requests. HPACK lets a client make it much larger than
// what it sends.
#pragma once

#include <cstddef>

#include "http/buffer_budget.hpp"

namespace fw::http {

class HeadMemory {
 public:
  explicit HeadMemory(BufferBudget& budget) : share_(budget) {}

  /// Returns false without a change if the budget is exceeded.
  [[nodiscard]] bool add(std::size_t size) {
    const std::size_t needed = size_ + size;
    // In steps, so that most requests do not touch what the connections share.
    if (needed > kUncounted && !share_.grow((needed / kUncounted + 1) * kUncounted)) return false;
    size_ = needed;
    return true;
  }
  void remove(std::size_t size) {
    size_ -= size;
    if (size_ <= kUncounted) share_.release();
  }
  /// The bytes that the budget counts.
  std::size_t counted() const { return share_.size(); }

 private:
  /// A connection may have so much without a budget, as with HTTP/1.1.
  static constexpr std::size_t kUncounted = 16 * 1024;

  BufferBudget::Share share_;
  std::size_t size_ = 0;
};

}  // namespace fw::http
