// Few lines for many findings about documentation.
#pragma once

#include "model/diagnostic.hpp"

namespace fairway::rules {

/// Replaces the warnings of a rule with a summary by one for each file that has several.
model::Diagnostics summarized(const model::Diagnostics& diagnostics);

}  // namespace fairway::rules
