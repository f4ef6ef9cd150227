// The comments of a C++ source text, told apart from what only looks like one.
#pragma once

#include <string_view>
#include <vector>

namespace fairway::check {

/// What one line holds of a comment, with the comment's marks. A comment of three lines gives
/// three.
struct CommentLine {
  unsigned line = 0;    ///< counts from 1
  unsigned column = 0;  ///< counts from 1, in bytes
  std::string_view text;
};

/// Comments in order. String, character and raw string literals, digit separators and the names of
/// included headers hold none.
std::vector<CommentLine> find_comments(std::string_view source);

}  // namespace fairway::check
