// Who may do what: anybody sees products, registers and places orders; clerks handle orders and
// customers; administrators change the catalogue too.
#pragma once

#include <fairway/routes.hpp>

namespace roles {

inline const fw::AuthRequirement kStaff = {.roles = {"clerk", "admin"}, .security = "bearer"};
inline const fw::AuthRequirement kAdmin = {.roles = {"admin"}, .security = "bearer"};

}  // namespace roles
