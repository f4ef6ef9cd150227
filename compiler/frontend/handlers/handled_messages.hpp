// The messages for which the handler of a socket may set a function.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Finds the calls `socket.on("say", …)` and `socket.on<Say>(…)` in the body of a handler, and such
/// calls of other variables: only which messages have no function is certain. The text is searched,
/// because Clang drops statements with generated types, which do not exist yet. `socket` is null
/// for a handler that does not take it. Sets `handled` and `handles_others`.
model::MessageUse handled_messages(const FileContext& context, const clang::Stmt& body,
                                   const clang::ParmVarDecl* socket);

}  // namespace fairway::frontend
