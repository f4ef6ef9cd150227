// What a thread keeps for its next use, so that it allocates less.
#pragma once

#include <array>
#include <cstddef>

namespace fw::base {

/// At most `kMax` values, which are trivial and own memory that `destroy` frees. For one object in
/// each thread:
///
///   constinit thread_local ThreadLocalFreeList<Memory, 4, free_memory> g_spares{};
///
/// It is trivial, so that its use needs no check whether it exists.
template <class T, std::size_t kMax, void (*destroy)(T)>
class ThreadLocalFreeList {
 public:
  bool empty() const { return count_ == 0; }
  /// There must be one.
  /// @{
  T next() const { return kept_[count_ - 1]; }
  T take() { return kept_[--count_]; }
  /// @}
  /// Returns false if the value is not kept, so that the caller still owns it: there are enough, or
  /// the thread, which some objects outlive, is at its end.
  bool keep(T value) {
    if (count_ == room_ && !make_room()) return false;
    kept_[count_++] = value;
    return true;
  }

 private:
  struct Cleaner {
    ThreadLocalFreeList& spares;
    ~Cleaner() {
      spares.is_closed_ = true;
      spares.room_ = 0;
      while (!spares.empty()) destroy(spares.take());
    }
  };
  /// Before the first value.
  [[gnu::noinline]] bool make_room() {
    if (room_ != 0 || is_closed_) return false;
    [[maybe_unused]] thread_local const Cleaner cleaner{*this};
    room_ = kMax;
    return true;
  }

  std::array<T, kMax> kept_;
  std::size_t count_;
  std::size_t room_;  ///< 0 before the first value and after the end
  bool is_closed_;
};

}  // namespace fw::base
