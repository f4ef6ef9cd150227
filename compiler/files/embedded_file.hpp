// Files that are part of this program, embedded by cmake/FairwayEmbedFiles.cmake.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fairway {

struct EmbeddedFile {
  std::string_view path;  ///< in the embedded folder
  std::string_view text;
};

}  // namespace fairway

namespace fairway::files {

/// Replaces each `@key@` by the value of that key. Other '@' are kept.
std::string replace_placeholders(std::string_view text,
                                 const std::map<std::string, std::string>& values);

}  // namespace fairway::files
