// The media types of files, by the extension of their name.
#pragma once

#include <string_view>

namespace fw::detail {

/// The extension of a file's name, without the dot; empty if it has none.
std::string_view extension_of(std::string_view name);

/// The value of Content-Type for an extension in any case; "application/octet-stream" for one that
/// is not known. Text is UTF-8.
std::string_view media_type_of(std::string_view extension);

}  // namespace fw::detail
