// The words of the user's files, as the parser gets them.
#pragma once

#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Token.h>

#include <map>
#include <span>
#include <vector>

namespace fairway::frontend {

/// Names, and the keywords that leave a function. What macros expand to is where they are used;
/// what is skipped by a condition is not there.
class SourceWords {
 public:
  struct Word {
    unsigned offset = 0;  ///< in its file
    clang::SourceLocation location;
    const clang::IdentifierInfo* name = nullptr;
  };

  /// Gets all tokens in order.
  void add(const clang::SourceManager& sources, const clang::Token& token);
  /// The words of a range of one file, in order.
  std::span<const Word> in(const clang::SourceManager& sources, clang::SourceRange range) const;

 private:
  std::map<clang::FileID, std::vector<Word>> files_;
};

}  // namespace fairway::frontend
