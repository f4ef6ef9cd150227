// Text of many small parts, for which std::string::append is slow.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>

namespace fw::detail {

/// Writes text to memory that the thread keeps for its next text. Must only be used by the thread
/// that created it.
class TextWriter {
 public:
  TextWriter() noexcept;
  ~TextWriter();
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;

  /// The text written so far; valid until the next write, which must not be given a part of it.
  std::string_view content() const { return {begin_, static_cast<std::size_t>(at_ - begin_)}; }

  /// These throw std::bad_alloc.
  void put(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    at_ += text.size();
  }
  void put(char c) {
    *room(1) = c;
    ++at_;
  }
  /// Adds so many bytes, which `write` writes to the memory that it is given.
  template <std::size_t kSize, class Write>
  void put_bytes(Write write) {
    write(room(kSize));
    at_ += kSize;
  }
  template <std::integral Number>
  void put_number(Number number) {
    constexpr std::size_t kMaxDigits = std::numeric_limits<Number>::digits10 + 2;
    char* const at = room(kMaxDigits);
    at_ = std::to_chars(at, at + kMaxDigits, number).ptr;
  }

 protected:
  /// Memory for `size` further bytes.
  char* room(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) enlarge(size);
    return at_;
  }
  /// Ends the content after bytes that were written to this memory.
  void end_at(char* end) { at_ = end; }

 private:
  void enlarge(std::size_t size);

  char* begin_;
  char* at_;
  char* end_;
};

}  // namespace fw::detail
