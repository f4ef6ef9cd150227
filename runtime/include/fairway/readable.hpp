// Sources of streamed responses (docs/streaming.md).
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

namespace http {
struct FilePart;
}
namespace detail {
class OpenFile;
struct ReadableSource;
}  // namespace detail

/// A file to send; created by `fw::file`.
struct File {
  std::string path;  ///< opened when a Readable is constructed
};
/// The path must come from the application. For a path that a client can influence, use
/// `fw::file_below`.
inline File file(std::string path) { return File{std::move(path)}; }

/// Bytes that are read while they are sent. Move-only.
class Readable {
 public:
  /// Fills the buffer and returns the number of bytes; 0 ends the stream. If it throws, the
  /// response is cut off.
  using Generator = std::function<std::size_t(std::span<char>)>;

  /// @{
  /// The characters of a string.
  Readable(std::string text);
  Readable(const char* text);
  /// @}
  /// Throws HttpError 404 if the file does not exist or is a directory, and std::system_error if it
  /// cannot be opened for another reason.
  Readable(File source);
  /// @{
  /// The rest of a stream; must not be null. An error of the stream cuts the response off.
  Readable(std::unique_ptr<std::istream> stream);
  template <std::derived_from<std::istream> Stream>
  Readable(std::unique_ptr<Stream> stream)
      : Readable(std::unique_ptr<std::istream>(std::move(stream))) {}
  /// @}
  /// Calls the generator for each part. The size is unknown, so the response is sent in chunks.
  template <class G>
    requires std::is_invocable_r_v<std::size_t, G&, std::span<char>>
  Readable(G generator) : generator_(Generator(std::move(generator))) {}
  /// A generator of so many bytes.
  Readable(Generator generator, std::uint64_t size)
      : generator_(std::move(generator)), size_(size) {}

  /// Fills the buffer and returns the number of bytes; 0 at the end. Rethrows exceptions of the
  /// source.
  std::size_t read(std::span<char> buffer) { return generator_(buffer); }
  /// The total number of bytes, if it is known in advance.
  std::optional<std::uint64_t> size() const { return size_; }

 private:
  friend struct detail::ReadableSource;
  friend std::optional<Readable> file_below(const std::string& root, std::string_view relative);
  explicit Readable(detail::OpenFile file);
  explicit Readable(http::FilePart part);

  Generator generator_;
  std::optional<std::uint64_t> size_;
  std::shared_ptr<const http::FilePart> file_;  ///< the file that the generator reads, or null
};

/// Opens the regular file `relative` below the directory `root`; returns nothing if there is none.
/// `relative` may come from a client: no path leaves the root, neither with `..` nor with a leading
/// slash nor through a symbolic link. Links within the root are followed where the system can check
/// them (Linux 5.6 or newer); elsewhere, no links are followed. Throws std::system_error if the
/// root cannot be opened as a directory, or if the process has run out of descriptors or memory.
///
///   app.get("/files/*", [](fw::Request& req, fw::Response& res) {
///     auto file = fw::file_below("public", req.param("*").value_or(""));
///     if (!file) fw::raise(404, "Not Found");
///     res.stream(std::move(*file));
///   });
std::optional<Readable> file_below(const std::string& root, std::string_view relative);

}  // namespace fw
