// What a file declares by types that are not generated yet, by its tokens: Clang drops many of
// these declarations, and reports their uses.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <set>
#include <string>
#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

class GeneratedDependents {
 public:
  /// Of the errors outside of `handlers`.
  GeneratedDependents(const FileContext& context, const std::vector<clang::SourceRange>& handlers);

  /// Whether the range may use such a declaration.
  bool are_in(clang::SourceRange range) const;

 private:
  struct Word {
    unsigned offset = 0;
    std::string text;
  };
  /// From one semicolon or brace to the next.
  struct Statement {
    unsigned begin = 0;
    unsigned end = 0;
    std::vector<std::string> declared = {};
    int around = -1;  ///< the index of the statement whose braces contain it
    bool depends = false;
  };

  void read();
  void mark(const Statement* statement);
  bool has_name(unsigned begin, unsigned end) const;

  const FileContext& context_;
  std::vector<Word> words_;  ///< identifiers, in their order
  std::vector<Statement> statements_;
  std::set<std::string> names_;
  bool are_everywhere_ = false;  ///< a header declares what is not known
};

}  // namespace fairway::frontend
