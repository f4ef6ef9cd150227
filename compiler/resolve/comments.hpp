// Finds the comments of a C++ source text.
#pragma once

#include <string_view>
#include <vector>

namespace fairway::resolve {

/// The part of a comment that is in one line, including the comment markers. A comment of three
/// lines has three.
struct CommentLine {
  unsigned line = 0;    ///< counts from 1
  unsigned column = 0;  ///< counts from 1, in bytes
  std::string_view text;
};

/// The comments in order. Text in string, character and raw string literals and in the names of
/// included headers is not a comment.
std::vector<CommentLine> find_comments(std::string_view source);

}  // namespace fairway::resolve
