// Converts Clang's source locations to ranges for diagnostics.
#pragma once

#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>

#include <optional>
#include <string>
#include <utility>

#include "model/range.hpp"

namespace fairway::frontend {

/// Translates locations of one translation unit. A location in a macro is the spelling location if
/// it is in a file of the user, otherwise the location of the use of the macro.
class Locations {
 public:
  /// Relative paths in the flags start from `directory`.
  Locations(const clang::SourceManager& sources, const clang::LangOptions& language,
            std::string directory)
      : sources_(sources), language_(language), directory_(std::move(directory)) {}

  model::Range of(clang::SourceRange range) const;
  model::Range of(const clang::Stmt& node) const { return of(node.getSourceRange()); }
  /// Like `of`, but always the location of the use of a macro, so that two uses have two locations.
  model::Range used(clang::SourceRange range) const;
  /// The token that begins at `location`.
  model::Range token(clang::SourceLocation location) const { return of({location, location}); }
  /// One byte.
  model::Range byte(clang::SourceLocation location) const;
  /// Exactly these characters of the main file; empty for other files and for macros.
  std::optional<model::Range> characters(clang::CharSourceRange range) const;
  bool in_main_file(clang::SourceLocation location) const;
  /// Whether it is in a header that the build generates.
  bool in_generated_header(clang::SourceLocation location) const;
  /// Its generated header, as sources include it: "notes.routes.hpp".
  std::string generated_header(clang::SourceLocation location) const;
  const clang::SourceManager& sources() const { return sources_; }
  const clang::LangOptions& language() const { return language_; }
  /// Where relative paths start from.
  const std::string& directory() const { return directory_; }

 private:
  model::Range between(clang::SourceLocation begin, clang::SourceLocation end) const;
  clang::SourceLocation written(clang::SourceLocation location) const;

  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  std::string directory_;
};

}  // namespace fairway::frontend
