// Finds the bodies of handlers, because the build of the program reports the errors in them.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Whether the type is `fw::RouteHandler`, which does not say what it takes.
bool is_route_handler(clang::QualType type);

/// Whether a function of a header gets a response, a request or a part of it, or an object that has
/// a response, so that its body is read: it is a handler, or a function that handlers call. So are
/// functions that return handlers whose types do not say what they call, and constructors of error
/// classes.
bool is_read_in_header(const clang::Decl& declaration, const clang::SourceManager& sources);

/// The body of the function; without one, the body of the template of which it is an instance.
/// `defined` is the function that has the body.
const clang::Stmt* body_of(const clang::FunctionDecl& function,
                           const clang::FunctionDecl*& defined);

/// Whether the body of the function is in this file, or one of a header that is read.
bool is_read(const FileContext& context, const clang::FunctionDecl& function,
             const clang::Stmt& body);

/// The function itself, after its body was instantiated if it is a specialisation of a template of
/// this file, or of one in a header that is read, that nothing has needed so far.
const clang::FunctionDecl& instantiated(const FileContext& context,
                                        const clang::FunctionDecl& function);

/// The function that `argument` is or names, or all call operators of a function object; functions
/// of other files have no bodies. An instance of a template has the types of its arguments.
llvm::SmallVector<const clang::FunctionDecl*, 1> handler_functions(const FileContext& context,
                                                                   const clang::Expr& argument);

/// What a function whose body is read returns, each value as it is written; empty for others.
llvm::SmallVector<const clang::Expr*, 1> returned_handlers(const FileContext& context,
                                                           const clang::FunctionDecl& function);

/// The handler that a fw::RouteHandler is made of, as far as the file shows; other expressions are
/// handlers themselves.
const clang::Expr& wrapped_handler(const FileContext& context, const clang::Expr& argument);

/// Records the body of the handler that `argument` is or names, if it is in this file.
void note_handler(FileContext& context, const clang::Expr& argument);

/// Records the bodies of the other lambdas of `factory` that look like handlers. With certain
/// errors, Clang drops the whole statement; the handler in it does not cause these errors, but must
/// not hide them either.
void record_unregistered_handlers(FileContext& context, const clang::FunctionDecl& factory);

}  // namespace fairway::frontend
