// Durations and sizes in declarations and configuration.
#pragma once

#include <fairway/text.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

namespace fw {

/// A duration in milliseconds, from a number or any std::chrono duration.
class Milliseconds {
 public:
  /// @{
  /// A number of milliseconds, or a duration, which is truncated to milliseconds.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  constexpr Milliseconds(T count) : count_(static_cast<std::int64_t>(count)) {}
  template <class Rep, class Period>
  constexpr Milliseconds(std::chrono::duration<Rep, Period> duration)
      : count_(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) {}
  /// @}

  /// @{
  /// The duration as a number or as a std::chrono duration.
  constexpr std::int64_t count() const { return count_; }
  constexpr operator std::chrono::milliseconds() const { return std::chrono::milliseconds(count_); }
  /// @}

 private:
  std::int64_t count_;
};

/// A number of bytes, or a string with a unit (b, kb, mb, gb; 1024-based; any case): `"1mb"`. A
/// malformed string is a startup error.
class ByteSize {
 public:
  ByteSize() = default;  ///< not set
  /// A number of bytes.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  ByteSize(T bytes) : text_(std::to_string(bytes)) {}
  /// @{
  /// A string with a unit; checked by `bytes`.
  template <detail::Character C>
  ByteSize(const C* text) : text_(text) {}
  template <detail::StringLike T>
  ByteSize(const T& text) : text_(text) {}
  /// @}

  /// False for a size that was not given: a default applies.
  bool is_set() const { return !text_.empty(); }
  /// As given.
  const std::string& text() const { return text_.str(); }
  /// The number of bytes. Throws std::invalid_argument if the string is malformed.
  std::uint64_t bytes() const;

 private:
  Text text_;
};

}  // namespace fw
