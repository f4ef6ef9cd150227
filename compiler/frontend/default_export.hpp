// What a file exports by default, and the factory behind it.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include "frontend/unit.hpp"

namespace fairway::frontend {

/// The body of a route factory and its router parameter.
struct Factory {
  const clang::Stmt* body = nullptr;
  const clang::VarDecl* router = nullptr;
};

/// Finds the default export, sets the export's members of the file, and returns the factory of a
/// route file. An empty factory, and diagnostics, when there is none that can be resolved.
Factory find_factory(Unit& unit);

}  // namespace fairway::frontend
