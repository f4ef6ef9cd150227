// Bodies of the type multipart/form-data (RFC 7578, RFC 2046). Nothing here trusts the client: the
// work is linear in the size of the body, and memory is taken for names only.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fw::detail {

/// A body, or the Content-Type of one, that is not a form as the RFCs have it.
class MultipartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The boundary of a Content-Type; nothing for another type than multipart/form-data. Throws
/// MultipartError for a boundary that is missing or that RFC 2046 does not allow.
std::optional<std::string> multipart_boundary(std::string_view content_type);

/// One field of a form. The content is a part of the body.
struct MultipartPart {
  std::string name;
  /// Of a file; without directories, so empty for "..". A text field has none.
  std::optional<std::string> filename;
  std::string media_type;  ///< in lower case, without parameters; empty: not given
  std::string_view content;
};

/// Reads the parts of a body one after the other.
///
///   MultipartReader reader(body, boundary);
///   while (const auto part = reader.next()) …
class MultipartReader {
 public:
  MultipartReader(std::string_view body, std::string_view boundary);

  /// The next part; nothing after the last one. Throws MultipartError.
  std::optional<MultipartPart> next();

 private:
  /// Where a delimiter begins, where what follows it begins, and whether it is the last one.
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
  std::string delimiter_;  ///< with the line break before it
  std::optional<Delimiter> current_;
};

}  // namespace fw::detail
