// `servers` of a document, a path or an operation.
#pragma once

#include "diff/schema_comparison.hpp"

namespace fairway::diff {

/// Compares what the two places list themselves; nothing when neither does.
void compare_servers(const Documents& documents, const Place& before, const Place& after,
                     const Location& location, Recorder& recorder);

}  // namespace fairway::diff
