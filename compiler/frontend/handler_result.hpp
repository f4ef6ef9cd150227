// What a handler returns.
#pragma once

#include "frontend/registration_call.hpp"
#include "frontend/unit.hpp"

namespace fairway::frontend {

/// [handler-returns-value] Reports a handler of this file that returns a value and never refers to
/// its response. Handlers that refer to it may have sent it: what they return is ignored.
void check_handler_result(Unit& unit, const RegistrationCall& call);

}  // namespace fairway::frontend
