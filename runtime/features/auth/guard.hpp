// Which callers a route allows (docs/authentication.md).
#pragma once

#include "chain/stage.hpp"

namespace fw::detail {

/// Whether there is a middleware or hook before the guard that could set `req.auth()`.
bool may_authenticate(const StageContext& context);

}  // namespace fw::detail
