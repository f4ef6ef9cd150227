#include "http/file_part.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "http/adapter.hpp"

namespace fw::http {

std::size_t read_next(FilePart& part, std::span<char> buffer) {
  if (part.size < buffer.size()) buffer = buffer.first(static_cast<std::size_t>(part.size));
  if (buffer.empty()) return 0;
  ssize_t count = 0;
  do {
    count = ::pread(part.descriptor, buffer.data(), buffer.size(), static_cast<off_t>(part.begin));
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw std::system_error(errno, std::generic_category(),
                            "the source of a streamed response cannot be read");
  }
  if (count == 0) {
    throw std::runtime_error("the source of a streamed response became shorter while it was sent");
  }
  part.begin += static_cast<std::uint64_t>(count);
  part.size -= static_cast<std::uint64_t>(count);
  return static_cast<std::size_t>(count);
}

bool Transaction::respond_file(const ResponseHead& head, FilePart part, StreamEnd ended) {
  const std::uint64_t size = part.size;
  auto produce = [part = std::move(part)](std::span<char> buffer) mutable {
    return read_next(part, buffer);
  };
  return respond_stream(head, size, std::move(produce), std::move(ended));
}

}  // namespace fw::http
