// Macros that headers of the system define in conditions of Clang, such as FMT_GCC_VERSION.
#pragma once

#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>

#include <map>
#include <string>

namespace fairway::frontend {

/// For one file.
class SystemMacros {
 public:
  explicit SystemMacros(const clang::Preprocessor& preprocessor)
      : sources_(preprocessor.getSourceManager()), language_(preprocessor.getLangOpts()) {}

  /// The macro of Clang in a condition around the definition; null if there is none, and for macros
  /// of the user. The macro is used at `use`, outside of headers of the system.
  const std::string* condition_of(const clang::MacroDefinition& macro, clang::SourceLocation use);

 private:
  std::string clang_macro_around(clang::SourceLocation location) const;

  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  std::map<const clang::MacroInfo*, std::string> known_;
};

}  // namespace fairway::frontend
