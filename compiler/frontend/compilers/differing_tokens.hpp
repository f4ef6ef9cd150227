// Collects the tokens of the user's files that have another value in the program: macros such as
// __COUNTER__ and __GNUC__, because the program includes the file from another one and is built by
// another compiler, and escape sequences that only some compilers know.
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <memory>
#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Adds macros in order, while the file is read.
std::unique_ptr<clang::PPCallbacks> observe_macros(std::vector<DifferingToken>& tokens,
                                                   const clang::Preprocessor& preprocessor);
/// Adds the token if it is one.
void observe_token(std::vector<DifferingToken>& tokens, const clang::Preprocessor& preprocessor,
                   const clang::Token& token);

/// The first one in an expression or in the macros that it is written with; null if there is none.
const DifferingToken* differing_token_in(const std::vector<DifferingToken>& tokens,
                                         const clang::SourceManager& sources,
                                         clang::SourceRange expression);

}  // namespace fairway::frontend
