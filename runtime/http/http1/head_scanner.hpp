// Finds the end of a request head incrementally.
#pragma once

#include <cstddef>
#include <string_view>

namespace fw::http {

/// Remembers its position, so that a head that arrives byte by byte is scanned only once.
class HeadScanner {
 public:
  enum class Status {
    incomplete,  ///< more bytes are needed
    complete,    ///< `begin` and `end` are the bounds of the head
    malformed,   ///< a line ends with LF alone, or the bytes cannot begin a request
  };

  /// Scans `bytes`, all input since the end of the last request.
  Status scan(std::string_view bytes);

  /// The begin of the request line after skipped empty lines (RFC 9112, 2.2).
  std::size_t begin() const { return begin_; }
  /// The position after the empty line that ends the head.
  std::size_t end() const { return position_; }

 private:
  std::size_t begin_ = 0;
  std::size_t line_ = 0;
  std::size_t position_ = 0;
};

}  // namespace fw::http
