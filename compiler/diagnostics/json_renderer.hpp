// Findings for other programs: the document of `doctor --format json`.
#pragma once

#include <string>

#include "diagnostics/report.hpp"

namespace fairway::diagnostics {

/// One JSON object, indented, ended by a line end. Members may be added in later versions and are
/// never renamed.
std::string render_json(const Report& report);

}  // namespace fairway::diagnostics
