// Finds the uses of the input and the response in a handler.
#pragma once

#include <clang/AST/Expr.h>

#include "frontend/source/file_context.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

class TypeReader;

/// Follows the request and the response through the handler that `argument` is or names, if its
/// body is in this file: direct uses, and constants that are initialised with `req.body()` and the
/// like. Follows the response, and what raises errors, into functions of this file; not the
/// request.
model::HandlerUse handler_use(FileContext& context, TypeReader& types, const clang::Expr& argument);

}  // namespace fairway::frontend
