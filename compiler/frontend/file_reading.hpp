// The steps of reading one file, each in its own source file.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <string_view>

#include "frontend/compile_errors.hpp"
#include "frontend/file_context.hpp"
#include "frontend/registration_call.hpp"
#include "frontend/static_value.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

class TypeReader;

// default_export.cpp: Finds the default export of a file and its factory.

/// A route factory: a function with a body and exactly one parameter, the router.
struct Factory {
  const clang::FunctionDecl* function = nullptr;
};

/// Finds the default export, sets the export's members of the file, and returns the factory of a
/// route file. If it cannot be resolved, reports diagnostics and returns an empty factory.
Factory find_factory(FileContext& context);

// factory.cpp: Reads the statements of a route factory.

/// Collects the registrations that are direct statements of the factory, and reports every other
/// use of the router that could register a route.
void read_factory(FileContext& context, const Factory& factory);

// bad_registration.cpp: Reports calls of a registration method that match neither of its two forms.

/// Reports `call`, for which Clang found no overload, once and at the location of the error.
void report_bad_registration(FileContext& context, const RegistrationCall& call);

/// The options of such a call: those members that are static and match `fw::RouteOptions`. Reports
/// members that are not static.
StaticOptions partial_options(FileContext& context, const RegistrationCall& call,
                              std::string_view route);

// handler_bodies.cpp: Finds the bodies of handlers, because the build of the program reports the
// errors in them.

/// For a specialisation of a template, the function in the source; otherwise the function itself.
const clang::FunctionDecl& pattern_of(const clang::FunctionDecl& function);

/// Whether a function of a header gets a response, a request or a part of it, so that its body is
/// read: it is a handler, or a function that handlers call.
bool is_read_in_header(const clang::Decl& declaration, const clang::SourceManager& sources);

/// Whether the body of the function is in this file, or one of a header that is read.
bool is_read(const FileContext& context, const clang::FunctionDecl& function,
             const clang::Stmt& body);

/// The function itself, after its body was instantiated if it is a specialisation of a template of
/// this file, or of one in a header that is read, that nothing has needed so far.
const clang::FunctionDecl& instantiated(const FileContext& context,
                                        const clang::FunctionDecl& function);

/// The function that `argument` is or names, or all call operators of a function object; functions
/// of other files have no bodies.
llvm::SmallVector<const clang::FunctionDecl*, 1> handler_functions(const FileContext& context,
                                                                   const clang::Expr& argument);

/// Records the body of the handler that `argument` is or names, if it is in this file.
void note_handler(FileContext& context, const clang::Expr& argument);

/// Records the bodies of the other lambdas of `factory` that look like handlers. With certain
/// errors, Clang drops the whole statement; the handler in it does not cause these errors, but must
/// not hide them either.
void record_unregistered_handlers(FileContext& context, const clang::FunctionDecl& factory);

// handler_use.cpp: Finds the uses of the input and the response in a handler.

/// Follows the request and the response through the handler that `argument` is or names, if its
/// body is in this file: direct uses, and constants that are initialised with `req.body()` and the
/// like. Follows the response, and what raises errors, into functions of this file; not the
/// request.
model::HandlerUse handler_use(FileContext& context, TypeReader& types, const clang::Expr& argument);

}  // namespace fairway::frontend
