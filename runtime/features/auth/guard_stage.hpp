// Which callers a route allows (docs/auth.md).
#pragma once

#include <fairway/auth.hpp>

#include "chain/stage.hpp"
#include "schema/operation_security.hpp"

namespace fw::detail {

/// Whether there is a middleware or hook before the guard that could set `req.auth()`.
bool may_authenticate(const StageContext& context);

/// What the guard requires.
schema::AuthNeeds needs_of(const AuthRequirement& requirement);

}  // namespace fw::detail
