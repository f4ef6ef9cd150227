// [conflicting-options] The constraints that the reference sets on options and between them.
#pragma once

#include "check/reporter.hpp"

namespace fairway::check {

/// `options` is the RouteOptions record as written.
void check_option_constraints(const model::Value& options, Reporter& reporter);

}  // namespace fairway::check
