// Calls that end the request.
#pragma once

#include <clang/AST/Expr.h>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Whether a call always ends the request with an error, or the program: `app.raise(…)`, a function
/// that is `[[noreturn]]`, or one whose body shows it.
bool never_returns(const FileContext& context, const clang::CallExpr& call);

}  // namespace fairway::frontend
