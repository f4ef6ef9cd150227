// What a handler's source says about its input and its answer.
#pragma once

#include <clang/AST/Expr.h>

#include "frontend/unit.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// Follows the request and the response through the handler that `argument` is or names, where its
/// body is in this file: direct uses, and constants that hold `req.body()` and the like. Functions
/// that the handler passes them to are not followed.
model::HandlerUse handler_use(Unit& unit, const clang::Expr& argument);

}  // namespace fairway::frontend
