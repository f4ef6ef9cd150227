// Reports calls of a registration method that match neither of its two forms.
#pragma once

#include <string_view>

#include "frontend/source/file_context.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/values/static_value.hpp"

namespace fairway::frontend {

/// Reports `call`, for which Clang found no overload, once and at the location of the error.
void report_bad_registration(FileContext& context, const RegistrationCall& call);

/// The options of such a call: those members that are static and match `fw::RouteOptions`. Reports
/// members that are not static.
StaticOptions partial_options(FileContext& context, const RegistrationCall& call,
                              std::string_view route);

}  // namespace fairway::frontend
