// Forms that are read while they arrive: large uploads (docs/uploads.md).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace fw {

class Request;

/// The parts of a multipart/form-data body, one after the other, in little memory however large
/// they are. For routes with `.body_parser = {.stream = true}`, whose `max_body_size` limits the
/// whole body. One thread at a time; must not outlive the request.
///
///   fw::MultipartStream form(req);
///   while (const auto part = form.next()) {
///     std::array<char, 16 * 1024> buffer;
///     while (const std::size_t size = form.read(buffer)) …
///   }
class MultipartStream {
 public:
  /// The head of a part. All members are chosen by the client: do not use the file's name as a
  /// path, and do not trust the media type.
  struct Part {
    std::string name;                     ///< of the field; several parts may have the same
    std::optional<std::string> filename;  ///< without directories; a text field has none
    std::string media_type;               ///< in lower case, without parameters; empty: not given
  };

  /// Throws HttpError 415 for a body of another type, and 400 for an invalid boundary.
  explicit MultipartStream(Request& req);
  /// @{
  /// Moves. The source can then only be destroyed or assigned to.
  ~MultipartStream();
  MultipartStream(MultipartStream&&) noexcept;
  MultipartStream& operator=(MultipartStream&&) noexcept;
  /// @}

  /// The next part; skips the rest of the current one. Throws HttpError: 400 for a malformed form,
  /// and the errors of reading the body (413 above the limit, 408, 400).
  std::optional<Part> next();
  /// The next bytes of the part; 0 at its end. Throws like `next`.
  std::size_t read(std::span<char> buffer);
  /// The rest of the part; HttpError 413 if it has more than `most` bytes. Throws like `next`.
  std::string text(std::size_t most);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fw
