// The names that a part of a source file declares, as far as its tokens show them.
#pragma once

#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>

#include <set>
#include <string>

namespace fairway::frontend {

/// The types, functions and aliases of namespaces that are declared or specialised between two
/// locations of a file, from the keyword `if` of a condition to its `endif`. The branches that
/// Clang skips count, too; it knows nothing else of them.
std::set<std::string> declared_names(const clang::SourceManager& sources,
                                     const clang::LangOptions& language,
                                     clang::SourceLocation begin, clang::SourceLocation end);
/// The same of a whole file.
std::set<std::string> declared_names(const clang::SourceManager& sources,
                                     const clang::LangOptions& language, clang::FileID file);

}  // namespace fairway::frontend
