// Scans of strings for bytes, eight or sixteen bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fw::base {

/// A word of eight equal bytes.
constexpr std::uint64_t eight_of(unsigned char byte) { return 0x0101010101010101U * byte; }

/// Two words, which processors handle at once: an extension of GCC and Clang.
using TwoWords [[gnu::vector_size(16)]] = std::uint64_t;

/// Marks bytes of a word that are below `limit`, which is at most 0x80. The lowest marked byte is
/// exact, but higher bytes may be marked wrongly. `Word` may be `TwoWords`.
template <class Word>
constexpr Word mark_below(Word word, unsigned char limit) {
  return (word - eight_of(limit)) & ~word & eight_of(0x80);
}

/// Like mark_below, for bytes of a word that are equal to `byte`.
template <class Word>
constexpr Word mark_equal(Word word, char byte) {
  return mark_below(word ^ eight_of(static_cast<unsigned char>(byte)), 1);
}

/// Whether `marks` finds a byte in a string. It is called with a word or with `TwoWords` (short
/// strings are padded with spaces) and returns zero if it finds none.
template <class Marks>
bool any_byte(std::string_view text, Marks marks) {
  const auto marks_at = [&](auto word, std::size_t at) {
    std::memcpy(&word, text.data() + at, sizeof word);
    return marks(word);
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (text.size() < kWord) {
    std::uint64_t word = eight_of(' ');
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    return marks(word) != 0;
  }
  // The last bytes may overlap those before.
  if (text.size() <= 2 * kWord) {
    const std::uint64_t word = 0;
    return (marks_at(word, 0) | marks_at(word, text.size() - kWord)) != 0;
  }
  const std::size_t last = text.size() - 2 * kWord;
  TwoWords found = marks_at(TwoWords(), last);
  for (std::size_t at = 0; at < last; at += 2 * kWord) found |= marks_at(TwoWords(), at);
  return (found[0] | found[1]) != 0;
}

}  // namespace fw::base
