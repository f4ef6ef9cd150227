// What a file exports by default, and the factory behind it.
#pragma once

#include <clang/AST/Decl.h>

#include "frontend/unit.hpp"

namespace fairway::frontend {

/// A route factory: a function with a body and exactly one parameter, the router.
struct Factory {
  const clang::FunctionDecl* function = nullptr;
};

/// Finds the default export, sets the export's members of the file, and returns the factory of a
/// route file. An empty factory, and diagnostics, when there is none that can be resolved.
Factory find_factory(Unit& unit);

}  // namespace fairway::frontend
