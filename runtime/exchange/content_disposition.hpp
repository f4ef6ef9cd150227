// The field that names a download (RFC 6266, RFC 8187).
#pragma once

#include <string>
#include <string_view>

namespace fw::detail {

/// `attachment; filename="report.csv"`; with `filename*` beside an ASCII fallback when the name has
/// other characters. Directories in the name are dropped.
std::string attachment(std::string_view filename);

}  // namespace fw::detail
