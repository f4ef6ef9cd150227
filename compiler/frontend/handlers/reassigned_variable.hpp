// Whether a variable of the file keeps the value that it is initialised with.
#pragma once

#include <clang/AST/Decl.h>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Whether code of the file assigns the variable, or may do so by a reference or a pointer.
bool may_be_reassigned(const FileContext& context, const clang::VarDecl& variable);

/// The values that code of the file gives to a variable after its initialisation, or to a part of
/// it: `table["a"] = handler`, `table.push_back(handler)`.
struct LaterValues {
  llvm::SmallVector<const clang::Expr*, 4> values = {};
  bool may_have_others = false;  ///< a function that may change it gets the variable
};
LaterValues later_values(const FileContext& context, const clang::VarDecl& variable);

}  // namespace fairway::frontend
