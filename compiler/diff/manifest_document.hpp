// Manifests as documents.
#pragma once

#include <string>

#include "diff/document.hpp"

namespace fairway::diff {

/// The OpenAPI document of the routes in a manifest, hidden ones included. The roles, scopes and
/// permissions of `auth` become scopes of its security requirements. Throws BadDocument for a
/// manifest of another version, or one that no compiler has written.
Json manifest_document(const std::string& name, const Json& manifest);

}  // namespace fairway::diff
