// Limits the memory for request bodies and for responses to slow clients.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fw::http {

/// For the client whose request is rejected because the budget is exceeded.
inline constexpr std::string_view kNoMemory = "the server is out of buffer memory; try again later";

/// Frees the memory of a buffer, which assigning an empty string does not.
inline void free_memory(std::string& buffer) { std::string().swap(buffer); }

/// The budget of all connections. Thread-safe; must outlive its shares that do not own it.
class BufferBudget {
 public:
  /// The part of the budget that a buffer uses. The destructor returns it. `Pointer` may own the
  /// budget; without one, nothing is counted.
  template <class Pointer>
  class BasicShare {
   public:
    BasicShare() = default;
    explicit BasicShare(Pointer budget) : budget_(std::move(budget)) {}
    BasicShare(BasicShare&& other) noexcept
        : budget_(std::move(other.budget_)), size_(std::exchange(other.size_, 0)) {}
    BasicShare& operator=(BasicShare&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(size_, other.size_);
      return *this;
    }
    ~BasicShare() { release(); }

    std::size_t size() const { return size_; }

    /// Returns false without a change if the budget is exceeded.
    [[nodiscard]] bool grow(std::size_t size) {
      if (size <= size_ || !budget_) return true;
      const auto more = size - size_;
      if (budget_->used_.fetch_add(more) + more > budget_->limit_) {
        budget_->used_.fetch_sub(more);
        return false;
      }
      size_ = size;
      return true;
    }

    /// Grows or shrinks. Returns false without a change if the budget is exceeded.
    [[nodiscard]] bool resize(std::size_t size) {
      if (size < size_) budget_->used_.fetch_sub(std::exchange(size_, size) - size);
      return grow(size);
    }

    void release() {
      if (size_ > 0) budget_->used_.fetch_sub(std::exchange(size_, 0));
    }

   private:
    Pointer budget_ = {};
    std::size_t size_ = 0;
  };
  class Share : public BasicShare<BufferBudget*> {
   public:
    explicit Share(BufferBudget& budget) : BasicShare(&budget) {}
  };
  using OwningShare = BasicShare<std::shared_ptr<BufferBudget>>;

  explicit BufferBudget(std::size_t limit) : limit_(limit) {}

  /// Whether more than three quarters are in use.
  bool is_scarce() const { return used_.load() > limit_ - limit_ / 4; }
  /// The number of bytes to free until half of the budget is free.
  std::size_t excess() const {
    const auto used = used_.load();
    return used > limit_ / 2 ? used - limit_ / 2 : 0;
  }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace fw::http
