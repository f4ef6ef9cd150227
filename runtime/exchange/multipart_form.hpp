// Parses multipart/form-data bodies (RFC 7578, RFC 2046). Safe for hostile input: the time is
// linear in the size of the body, and only names are copied.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fw::detail {

/// A body or a Content-Type that is not a valid form.
class MultipartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The boundary of a Content-Type; empty if the type is not multipart/form-data. Throws
/// MultipartError for a missing or invalid boundary (RFC 2046).
std::optional<std::string> multipart_boundary(std::string_view content_type);

/// One field of a form. The content is a part of the body.
struct MultipartPart {
  std::string name;
  /// The name of a file without directories, so "" for "..". Text fields have none.
  std::optional<std::string> filename;
  std::string media_type;  ///< in lower case, without parameters; empty if absent
  std::string_view content;
};

/// Reads the parts of a body one after the other.
///
///   MultipartReader reader(body, boundary);
///   while (const auto part = reader.next()) …
class MultipartReader {
 public:
  MultipartReader(std::string_view body, std::string_view boundary);

  /// The next part; empty after the last one. Throws MultipartError.
  std::optional<MultipartPart> next();

 private:
  /// The position of a delimiter, the position after it, and whether it is the last one.
  struct Delimiter {
    std::size_t begin;
    std::size_t end;
    bool closes;
  };

  /// The first delimiter whose line begins at `from` or after it.
  std::optional<Delimiter> find_delimiter(std::size_t from) const;
  std::optional<Delimiter> delimiter_at(std::size_t line, std::size_t begin) const;
  MultipartPart read_head(std::string_view& rest) const;

  std::string_view body_;
  std::string delimiter_;  ///< including the line break before it
  std::optional<Delimiter> current_;
};

}  // namespace fw::detail
