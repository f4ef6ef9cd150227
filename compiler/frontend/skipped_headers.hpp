// The headers in the branches of a condition that Clang skips.
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

#include <set>
#include <vector>

namespace fairway::frontend {

/// The headers of the user that are included between two offsets of a file, and those that these
/// include, without the ones that Clang has `entered`.
std::vector<clang::FileID> skipped_headers(clang::Preprocessor& preprocessor, clang::FileID file,
                                           unsigned begin, unsigned end,
                                           const std::set<const clang::FileEntry*>& entered);

}  // namespace fairway::frontend
