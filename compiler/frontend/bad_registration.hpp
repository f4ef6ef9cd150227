// Calls of a registration method that fit none of its two forms.
#pragma once

#include <string_view>

#include "frontend/registration_call.hpp"
#include "frontend/static_value.hpp"
#include "frontend/unit.hpp"

namespace fairway::frontend {

/// Reports `call`, which Clang found no overload for, once and where the error is. False, and no
/// report, when nothing is known to be wrong but the body of the handler, from which its result is
/// deduced: that is left to the build of the program.
bool report_bad_registration(Unit& unit, const RegistrationCall& call);

/// The options of such a call as far as they are static and fit `fw::RouteOptions`, member by
/// member. Reports what is not static.
StaticOptions options_that_fit(Unit& unit, const RegistrationCall& call, std::string_view route);

}  // namespace fairway::frontend
