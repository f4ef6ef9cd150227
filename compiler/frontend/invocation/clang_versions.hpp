// Hides the differences between the supported versions of Clang, 16 and newer.
#pragma once

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/Version.h>
#include <clang/Lex/PPCallbacks.h>

namespace fairway::frontend {

inline bool is_cpp23(const clang::LangOptions& language) {
#if CLANG_VERSION_MAJOR >= 17
  return language.CPlusPlus23;
#else
  return language.CPlusPlus2b;
#endif
}

/// Null if there is none.
inline const clang::Expr* default_argument(const clang::NonTypeTemplateParmDecl& parameter) {
  if (!parameter.hasDefaultArgument()) return nullptr;
#if CLANG_VERSION_MAJOR >= 19
  return parameter.getDefaultArgument().getSourceExpression();
#else
  return parameter.getDefaultArgument();
#endif
}
inline const clang::TypeSourceInfo* default_argument(const clang::TemplateTypeParmDecl& parameter) {
  if (!parameter.hasDefaultArgument()) return nullptr;
#if CLANG_VERSION_MAJOR >= 19
  return parameter.getDefaultArgument().getTypeSourceInfo();
#else
  return parameter.getDefaultArgumentInfo();
#endif
}

/// Receives the include directives of a file, and conditions on headers, in order.
class IncludeCallbacks : public clang::PPCallbacks {
 private:
  /// `path`: of the file; empty if it is not found.
  virtual void see_include(llvm::StringRef name, clang::CharSourceRange location,
                           llvm::StringRef path) = 0;
  /// `__has_include`
  virtual void see_condition(llvm::StringRef name, clang::SourceLocation location,
                             llvm::StringRef path) = 0;

  static llvm::StringRef path_of(clang::OptionalFileEntryRef file) {
    return file ? file->getName() : llvm::StringRef();
  }
  void HasInclude(clang::SourceLocation location, llvm::StringRef name, bool,
                  clang::OptionalFileEntryRef file, clang::SrcMgr::CharacteristicKind) final {
    see_condition(name, location, path_of(file));
  }

#if CLANG_VERSION_MAJOR >= 19
  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef name, bool,
                          clang::CharSourceRange location, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) final {
    see_include(name, location, path_of(file));
  }
#else
  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef name, bool,
                          clang::CharSourceRange location, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module*,
                          clang::SrcMgr::CharacteristicKind) final {
    see_include(name, location, path_of(file));
  }
#endif
};

}  // namespace fairway::frontend
