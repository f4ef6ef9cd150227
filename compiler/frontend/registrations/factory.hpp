// The default export of a file, and the statements of its route factory.
#pragma once

#include <clang/AST/Decl.h>

#include <string_view>

#include "frontend/source/file_context.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/values/static_value.hpp"

namespace fairway::frontend {

// default_export.cpp

/// A route factory: a function with a body and exactly one parameter, the router.
struct Factory {
  const clang::FunctionDecl* function = nullptr;
};

/// Finds the default export, sets the export's members of the file, and returns the factory of a
/// route file. If it cannot be resolved, reports diagnostics and returns an empty factory.
Factory find_factory(FileContext& context);

// factory.cpp

/// Collects the registrations that are direct statements of the factory, and reports every other
/// use of the router that could register a route.
void read_factory(FileContext& context, const Factory& factory);

// bad_registration.cpp: Calls of a registration method that match neither of its two forms.

/// Reports `call`, for which Clang found no overload, once and at the location of the error.
void report_bad_registration(FileContext& context, const RegistrationCall& call);

/// The options of such a call: those members that are static and match `fw::RouteOptions`. Reports
/// members that are not static.
StaticOptions partial_options(FileContext& context, const RegistrationCall& call,
                              std::string_view route);

}  // namespace fairway::frontend
