// The tokens of a source text, without preprocessing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::frontend {

/// A token of a text that may be incomplete, as it is while the user types.
struct SourceToken {
  enum class Kind {
    name,         ///< identifiers and keywords
    string,       ///< a string literal; one without a closing quote ends with its line
    punctuation,  ///< and everything else
  };
  Kind kind = Kind::punctuation;
  std::size_t begin = 0;  ///< offset in the text
  std::string_view text;  ///< with the quotes of a string literal

  std::size_t end() const { return begin + text.size(); }
};

/// The tokens without comments. They refer to `text`.
std::vector<SourceToken> source_tokens(const std::string& text);

}  // namespace fairway::frontend
