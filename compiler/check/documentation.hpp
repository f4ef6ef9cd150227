// The member `docs` (reference: Documentation metadata).
#pragma once

#include "check/reporter.hpp"
#include "model/application.hpp"

namespace fairway::check {

/// Everything of `docs` but the operation id. Tags are left to be inferred when none are written.
model::Documentation declared_documentation(const model::Value& docs, Reporter& reporter);

}  // namespace fairway::check
