// Which callers a route allows (docs/auth.md).
#pragma once

#include <fairway/auth.hpp>

#include "schema/operation_security.hpp"

namespace fw::detail {

/// What the guard requires.
schema::AuthNeeds needs_of(const AuthRequirement& requirement);

}  // namespace fw::detail
