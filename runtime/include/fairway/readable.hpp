// Sources of streamed answers (reference: FwResponse, stream and download).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace fw {

/// A file to be sent; made by `fw::file`.
struct File {
  std::string path;
};
inline File file(std::string path) { return File{std::move(path)}; }

/// Bytes that are read while they are sent. Move-only.
class Readable {
 public:
  /// Fills the buffer and returns how much; 0 ends the stream. May throw: the transfer then breaks.
  using Generator = std::function<std::size_t(std::span<char>)>;

  Readable(std::string text);
  Readable(const char* text);
  /// Throws std::system_error when the file cannot be opened.
  Readable(File source);
  Readable(std::unique_ptr<std::istream> stream);
  template <std::derived_from<std::istream> Stream>
  Readable(std::unique_ptr<Stream> stream)
      : Readable(std::unique_ptr<std::istream>(std::move(stream))) {}
  template <class G>
    requires std::is_invocable_r_v<std::size_t, G&, std::span<char>>
  Readable(G generator) : generator_(Generator(std::move(generator))) {}

  std::size_t read(std::span<char> buffer) { return generator_(buffer); }
  /// The number of bytes that will come, where it is known in advance.
  std::optional<std::uint64_t> size() const { return size_; }

 private:
  Generator generator_;
  std::optional<std::uint64_t> size_;
};

}  // namespace fw
