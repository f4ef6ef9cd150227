// What a reader sees of a finding, in the order of Clang's diagnostics. The renderers of text and
// of HTML add only their markup.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnostics/source_text.hpp"
#include "model/diagnostic.hpp"

namespace fairway::diagnostics {

/// A source line with what is below it.
struct Snippet {
  std::string number;  ///< of the line
  std::string text;
  std::string before_caret;  ///< blanks
  std::string caret;         ///< "^~~~"
  std::string fix;           ///< with the blanks before it; empty if there is none
};

/// A finding, or one of its notes. Control characters are visible: see `display_text`.
struct Part {
  std::string_view label;  ///< "error", "warning" or "note"
  std::string location;    ///< "src/routes/users.cpp:9:31"
  std::string message;
  std::string id;  ///< empty for notes
  std::optional<Snippet> snippet;
  std::vector<std::pair<std::string_view, std::string>> details;  ///< {"help", "…"}
};

/// The finding, and then its notes.
std::vector<Part> parts_of(const model::Diagnostic& diagnostic, SourceText& sources);

}  // namespace fairway::diagnostics
