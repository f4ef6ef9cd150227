// Bounds as texts, the same in DSL texts, messages and documents.
#pragma once

#include <string>

namespace fw::schema {

/// The shortest decimal text of a bound, without exponent: `5`, `-0.5`.
std::string bound_text(double bound);

}  // namespace fw::schema
