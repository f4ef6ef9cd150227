// Finds the default export of a file and its factory.
#pragma once

#include <clang/AST/Decl.h>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// A route factory: a function with a body and exactly one parameter, the router.
struct Factory {
  const clang::FunctionDecl* function = nullptr;
};

/// Finds the default export, sets the export's members of the file, and returns the factory of a
/// route file. If it cannot be resolved, reports diagnostics and returns an empty factory.
Factory find_factory(FileContext& context);

}  // namespace fairway::frontend
