// From OpenAPI 3.1 to 3.0.3.
#pragma once

#include "model/application.hpp"

namespace fairway::emit {

/// Rewrites a document of this project, whatever JSON Schemas it has, in the words of OpenAPI
/// 3.0.3. Keywords that 3.0 has no word for are left out: the schema then allows more.
void convert_to_3_0(model::Json& document);

}  // namespace fairway::emit
