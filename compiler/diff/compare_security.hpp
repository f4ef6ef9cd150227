// Who may call an operation.
#pragma once

#include "diff/schema_comparison.hpp"

namespace fairway::diff {

/// Compares the requirements of two operations, or those of their documents where they have none.
void compare_security(const Documents& documents, const Place& before, const Place& after,
                      Recorder& recorder);

/// Compares the schemes that both documents describe under one name.
void compare_security_schemes(const Documents& documents, Recorder& recorder);

}  // namespace fairway::diff
