// The messages that the handler of a socket certainly handles and sends.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Finds the calls `socket.on("say", …)` in the body of a handler, and `socket.send("said", …)`
/// there and in its functions for messages. Those are left out that may be of another socket or not
/// in the program: of a variable that may be assigned, of code between `#if` and `#endif`, after a
/// condition that may be a constant, and in a `try`. Of a handler that other code may call, too,
/// what depends on a condition is left out. `argument` is the handler in the registration. Sets
/// `sets` and `sends`.
void add_named_messages(model::MessageUse& use, const FileContext& context,
                        const clang::FunctionDecl& handler, const clang::Stmt& body,
                        const clang::Expr& argument);

/// Leaves out the messages in conditions of a handler that several sockets of the file have: the
/// conditions may choose among their messages.
void forget_shared_messages(std::vector<model::Registration>& registrations);

}  // namespace fairway::frontend
