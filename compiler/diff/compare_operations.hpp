// Operations: which there are, and what each of them takes and answers.
#pragma once

#include "diff/schema_comparison.hpp"

namespace fairway::diff {

void compare_operations(const Documents& documents, Changes& changes);

/// Operations that the API calls: clients receive their requests and send their answers.
void compare_webhooks(const Documents& documents, Changes& changes);

}  // namespace fairway::diff
