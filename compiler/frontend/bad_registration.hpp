// Calls of a registration method that fit none of its two forms.
#pragma once

#include "frontend/registration_call.hpp"
#include "frontend/unit.hpp"

namespace fairway::frontend {

/// Reports `call`, which Clang found no overload for, once and where the fault is.
void report_bad_registration(Unit& unit, const RegistrationCall& call);

}  // namespace fairway::frontend
