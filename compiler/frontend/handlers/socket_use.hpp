// The messages that the handler of a socket handles.
#pragma once

#include <clang/AST/Decl.h>

#include "frontend/source/file_context.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// Finds the calls `socket.on("say", …)` and `socket.on<Say>(…)` in the body of a handler. They are
/// looked for in its text, because Clang drops statements with generated types, which do not exist
/// yet. `socket` is null for a handler that does not take it.
model::MessageUse message_use(const FileContext& context, const clang::Stmt& body,
                              const clang::ParmVarDecl* socket);

}  // namespace fairway::frontend
