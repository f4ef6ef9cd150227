// Whether a variable of the file keeps the value that it is initialised with.
#pragma once

#include <clang/AST/Decl.h>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Whether code of the file assigns the variable, or may do so by a reference or a pointer.
bool may_be_reassigned(const FileContext& context, const clang::VarDecl& variable);

}  // namespace fairway::frontend
