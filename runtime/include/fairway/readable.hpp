// Sources of streamed responses (reference: FwResponse, stream and download).
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
#include <string_view>
#include <utility>

namespace fw {

namespace detail {
class OpenFile;
}

/// A file to be sent; made by `fw::file`.
struct File {
  std::string path;
};
/// The path is the application's own: what a client had a part in belongs to `fw::file_below`.
inline File file(std::string path) { return File{std::move(path)}; }

/// Bytes that are read while they are sent. Move-only.
class Readable {
 public:
  /// Fills the buffer and returns how much; 0 ends the stream. May throw: the transfer then breaks.
  using Generator = std::function<std::size_t(std::span<char>)>;

  Readable(std::string text);
  Readable(const char* text);
  /// Throws HttpError 404 when there is no such file or it is a directory, and std::system_error
  /// when it cannot be opened for another reason.
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
  friend std::optional<Readable> file_below(const std::string& root, std::string_view relative);
  explicit Readable(detail::OpenFile file);
  static detail::OpenFile open(const File& source);

  Generator generator_;
  std::optional<std::uint64_t> size_;
};

/// The regular file `relative` below the directory `root`, whatever a client put into `relative`;
/// nothing when there is none. No path leads out of the root: not with `..`, not with a leading
/// slash, not through a symbolic link. Links that stay below the root are followed where the
/// system can check that (Linux 5.6), and none are elsewhere. Throws std::system_error when the
/// root is no directory that can be opened, or the process has run out of descriptors or memory.
///
///   app.get("/files/*", [](fw::Request& req, fw::Response& res) {
///     auto file = fw::file_below("public", req.param("*").value_or(""));
///     if (!file) fw::raise(404, "Not Found");
///     res.stream(std::move(*file));
///   });
std::optional<Readable> file_below(const std::string& root, std::string_view relative);

}  // namespace fw
