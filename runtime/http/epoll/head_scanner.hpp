// Finds the end of a request head in bytes that arrive in pieces of any size.
#pragma once

#include <cstddef>
#include <string_view>

namespace fw::http {

/// Remembers how far it has looked, so that a head sent byte by byte costs no more than one sent
/// at once.
class HeadScanner {
 public:
  enum class Status {
    incomplete,  ///< more bytes are needed
    complete,    ///< `begin` and `end` frame the head
    malformed,   ///< a line ended by LF alone, or bytes that cannot begin a request
  };

  /// Looks at `bytes`: everything received since the end of the last request.
  Status scan(std::string_view bytes);

  /// Where the request line begins: empty lines before it are skipped (RFC 9112, 2.2).
  std::size_t begin() const { return begin_; }
  /// Behind the empty line that ends the head.
  std::size_t end() const { return position_; }

 private:
  std::size_t begin_ = 0;
  std::size_t line_ = 0;
  std::size_t position_ = 0;
};

}  // namespace fw::http
