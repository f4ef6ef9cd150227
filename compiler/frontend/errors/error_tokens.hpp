// The tokens around the place of an error.
#pragma once

#include <clang/Basic/SourceLocation.h>
#include <clang/Lex/Token.h>

#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// The tokens of the file of an error around its place.
struct ErrorTokens {
  std::vector<clang::Token> before;  ///< from the beginning of the file, without directives
  std::vector<clang::Token> next;    ///< the one with the error, and all after it
  bool is_after_directive = false;   ///< whether a directive is between the two
};

ErrorTokens tokens_at(const FileContext& context, clang::SourceLocation place);

}  // namespace fairway::frontend
