// `routes.manifest.json`: the resolved model for other tools.
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// Version of the format. Members may be added under one version, never renamed.
inline constexpr int kManifestVersion = 1;

/// The manifest as text: indented, ended by a line end, the same for the same application.
std::string emit_manifest(const model::Application& application);

}  // namespace fairway::emit
