// The messages that the handler of a socket handles and sends.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "frontend/source/file_context.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// Finds the calls `socket.on("say", …)`, `socket.on<Say>(…)` and `socket.send("said", …)` in the
/// body of a handler, the last one also in its functions for messages, by their parameters. They
/// are looked for in its text, because Clang drops statements with generated types, which do not
/// exist yet. Those that may be of another socket or not in the program, because a variable has the
/// same name, or in a template or between `#if` and `#endif`, are left out. `socket` is null for a
/// handler that does not take it.
model::MessageUse message_use(const FileContext& context, const clang::Stmt& body,
                              const clang::ParmVarDecl* socket);

/// A function that handles several sockets, also of other route files if it is in a header, may
/// choose among their messages: those that it names are known of none.
void forget_shared_messages(std::vector<model::Registration>& registrations);

}  // namespace fairway::frontend
