// Parses multipart/form-data bodies (RFC 7578, RFC 2046). Safe for hostile input: the time is
// linear in the size of the body, and only names are copied, and a small part of a body that
// arrives while it is read.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace fw::detail {

/// A body or a Content-Type that is not a valid form.
class MultipartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The boundary of a Content-Type; empty if the type is not multipart/form-data. Throws
/// MultipartError for a missing or invalid boundary (RFC 2046).
std::optional<std::string> multipart_boundary(std::string_view content_type);

/// The head of one field of a form.
struct MultipartPart {
  std::string name;
  /// The name of a file without directories, so "" for "..". Text fields have none.
  std::optional<std::string> filename;
  std::string media_type;  ///< in lower case, without parameters; empty if absent
};

/// Reads the parts of a body one after the other.
///
///   MultipartReader reader(body, boundary);
///   while (const auto part = reader.next()) {
///     for (auto bytes = reader.content(); !bytes.empty(); bytes = reader.content()) …
///   }
class MultipartReader {
 public:
  /// Fills the buffer and returns the number of bytes; 0 at the end of the body.
  using Source = std::function<std::size_t(std::span<char>)>;

  /// Reads a complete body: `content` returns all bytes of a part at once.
  MultipartReader(std::string_view body, std::string_view boundary);
  /// Reads a body that arrives while it is read.
  MultipartReader(Source source, std::string_view boundary);
  MultipartReader(const MultipartReader&) = delete;
  MultipartReader& operator=(const MultipartReader&) = delete;

  /// The next part; nothing after the last one. Skips the rest of the current part. Throws
  /// MultipartError, and exceptions of the source.
  std::optional<MultipartPart> next();
  /// The next bytes of the part, valid until the next call; none at its end. Throws like `next`.
  std::string_view content();

 private:
  /// Bytes from the start of the input.
  struct Delimiter {
    std::size_t end;  ///< of its line
    bool closes;
  };

  std::string_view input() const { return input_.substr(begin_); }
  bool fill();
  std::string_view take_content(std::size_t end);
  std::optional<Delimiter> delimiter_at(std::size_t line, bool& needs_more) const;
  std::pair<std::size_t, std::size_t> find_dashes(std::size_t from) const;
  MultipartPart read_head();

  const Source source_;
  const std::string delimiter_;  ///< with the line break before it
  std::string buffer_;           ///< of the source
  std::string_view input_;
  std::size_t begin_ = 0;       ///< bytes of `input_` that have been read
  std::size_t line_break_ = 0;  ///< bytes before the content that a delimiter may begin with
  bool is_complete_;            ///< nothing follows `input_`
  bool is_at_start_ = true;     ///< of the body, where a delimiter has no line break before it
  bool has_begun_ = false;      ///< there was a delimiter
  std::optional<Delimiter> current_;  ///< at the start of the input
};

}  // namespace fw::detail
