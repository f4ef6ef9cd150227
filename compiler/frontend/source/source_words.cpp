#include "frontend/source/source_words.hpp"

#include <algorithm>

namespace fairway::frontend {

void SourceWords::add(const clang::SourceManager& sources, const clang::Token& token) {
  const bool is_word = token.is(clang::tok::identifier) ||
                       token.isOneOf(clang::tok::kw_return, clang::tok::kw_co_return,
                                     clang::tok::kw_goto, clang::tok::kw_throw, clang::tok::kw_for);
  if (!is_word || sources.isInSystemHeader(token.getLocation())) return;
  const auto [file, offset] = sources.getDecomposedExpansionLoc(token.getLocation());
  files_[file].push_back({offset, token.getLocation(), token.getIdentifierInfo()});
}

std::span<const SourceWords::Word> SourceWords::in(const clang::SourceManager& sources,
                                                   clang::SourceRange range) const {
  if (range.isInvalid()) return {};
  const auto [file, begin] = sources.getDecomposedExpansionLoc(range.getBegin());
  const auto [last_file, end] = sources.getDecomposedExpansionLoc(range.getEnd());
  const auto words = files_.find(file);
  if (words == files_.end() || file != last_file) return {};
  const auto first = std::ranges::lower_bound(words->second, begin, {}, &Word::offset);
  const auto last = std::ranges::upper_bound(words->second, end, {}, &Word::offset);
  return first < last ? std::span<const Word>(first, last) : std::span<const Word>();
}

}  // namespace fairway::frontend
