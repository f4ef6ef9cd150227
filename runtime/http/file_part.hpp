// Files as bodies of responses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fw::http {

/// A part of an open file. The descriptor stays open as long as `owner` lives.
struct FilePart {
  std::shared_ptr<const void> owner;
  int descriptor = -1;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

/// Files up to this size are read and sent together with their head: a copy costs less than another
/// system call.
inline constexpr std::uint64_t kMaxReadAtOnce = 8 * 1024;

/// Fills the buffer with the next bytes of the part and takes them off it; 0 at its end. Throws
/// std::system_error, and std::runtime_error for a file that has become shorter.
std::size_t read_next(FilePart& part, std::span<char> buffer);

}  // namespace fw::http
