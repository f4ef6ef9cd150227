// Whether an object can be called as a handler, apart from the types of its parameters.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>
#include <string>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

struct CallProblem {
  std::string message;
  std::string help;
};

/// Whether the framework can call the handler with the request and the response.
bool takes_request_and_response(FileContext& context, const clang::Expr& handler);

/// Why the framework cannot call or copy the handler; empty if it can.
std::optional<CallProblem> call_problem(FileContext& context, const clang::Expr& handler);

}  // namespace fairway::frontend
