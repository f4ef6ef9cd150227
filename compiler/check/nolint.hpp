// Comments that suppress lints: `// NOLINT(ID)` and `// NOLINTNEXTLINE(ID)`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/source_text.hpp"
#include "model/diagnostic.hpp"
#include "model/range.hpp"

namespace fairway::check {

// comments.cpp: The comments of a C++ source text, and nothing that only looks like one.

/// What one line contains of a comment, with the comment's marks. A comment of three lines gives
/// three.
struct CommentLine {
  unsigned line = 0;    ///< counts from 1
  unsigned column = 0;  ///< counts from 1, in bytes
  std::string_view text;
};

/// Comments in order. String, character and raw string literals, digit separators and the names of
/// included headers contain none.
std::vector<CommentLine> find_comments(std::string_view source);

// `// NOLINT(ID, …)` and `// NOLINTNEXTLINE(ID, …)`, as clang-tidy reads them.

/// One NOLINT of a comment.
struct Nolint {
  struct Name {
    std::string id;
    model::Range range;
    model::Range removal;  ///< what to delete so that the list is good without it; no file: unknown
  };
  bool silences_all = false;  ///< no list
  unsigned target_line = 0;   ///< the line whose lints it silences
  std::vector<Name> names;
};

/// All of a source text. `file` is what their ranges name.
std::vector<Nolint> find_nolints(std::string_view source, const std::string& file);

// unused_suppression.cpp: [unused-suppression] A NOLINT comment silences something; and what
// such comments silence.

/// Removes the lints that comments of `files` silence, and adds a warning for each named rule that
/// has nothing to silence or cannot be silenced. Ids that are not ours are left to their tools.
/// `lints_ran` is false when errors kept the lints from being looked for: then no comment is
/// called unused.
void apply_suppressions(model::Diagnostics& diagnostics, const std::vector<std::string>& files,
                        diagnostics::SourceText& sources, bool lints_ran);

}  // namespace fairway::check
