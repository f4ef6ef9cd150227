// The steps of reading one file, each in a source file of its own.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <string_view>

#include "frontend/compile_errors.hpp"
#include "frontend/registration_call.hpp"
#include "frontend/static_value.hpp"
#include "frontend/unit.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

// default_export.cpp: What a file exports by default, and its factory.

/// A route factory: a function with a body and exactly one parameter, the router.
struct Factory {
  const clang::FunctionDecl* function = nullptr;
};

/// Finds the default export, sets the export's members of the file, and returns the factory of a
/// route file. An empty factory, and diagnostics, when there is none that can be resolved.
Factory find_factory(Unit& unit);

// factory.cpp: The statements of a route factory.

/// Collects the registrations that are direct statements of the factory, and reports every other
/// use of the router that could register a route.
void read_factory(Unit& unit, const Factory& factory);

// bad_registration.cpp: Calls of a registration method that fit none of its two forms.

/// Reports `call`, which Clang found no overload for, once and where the error is. False, and no
/// report, when nothing is known to be wrong but the body of the handler, from which its result is
/// deduced: that is left to the build of the program.
bool report_bad_registration(Unit& unit, const RegistrationCall& call);

/// The options of such a call as far as they are static and fit `fw::RouteOptions`, member by
/// member. Reports what is not static.
StaticOptions options_that_fit(Unit& unit, const RegistrationCall& call, std::string_view route);

// handler_bodies.cpp: Where handlers' bodies are: what Clang finds wrong in them is left to the
// build of the program.

/// The function that `argument` is or names, or all call operators of a function object; those of
/// other files have no bodies.
llvm::SmallVector<const clang::FunctionDecl*, 1> handler_functions(const Unit& unit,
                                                                   const clang::Expr& argument);

/// Remembers the body of the handler that `argument` is or names, where it is in this file.
void note_handler(Unit& unit, const clang::Expr& argument);

/// Remembers the bodies of the other lambdas of `factory` that look like handlers. Clang drops a
/// statement with certain errors as a whole: the handler in it is not to be blamed for these
/// errors, but must not hide them either.
void note_lost_handlers(Unit& unit, const clang::FunctionDecl& factory);

// handler_result.cpp: What a handler returns.

/// [handler-returns-value] Reports a handler of this file that returns a value and never refers to
/// its response. Handlers that refer to it may have sent it: what they return is ignored.
void check_handler_result(Unit& unit, const RegistrationCall& call);

// handler_use.cpp: What a handler's source says about its input and its response.

/// Follows the request and the response through the handler that `argument` is or names, where its
/// body is in this file: direct uses, and constants with `req.body()` and the like. Functions
/// that the handler passes them to are not followed.
model::HandlerUse handler_use(Unit& unit, const clang::Expr& argument);

// generated_names.cpp: Names of types that `fairway build` generates, as a source file uses
// them.

/// The generated headers are empty here, so that Clang reports each use of `routes::…` at its first
/// word: the whole name, where `error` is such a report. Names that an alias or a using-directive
/// shortens are not recognized.
std::optional<model::GeneratedName> generated_name(const Unit& unit,
                                                   const ErrorCollector::Error& error);

}  // namespace fairway::frontend
