// Header fields about representations: Content-Disposition (RFC 6266), and Vary.
#pragma once

#include <string>
#include <string_view>

#include "http/header_fields.hpp"

namespace fw::http {

/// A value of Content-Disposition: `attachment; filename="report.csv"`; with `filename*` and an
/// ASCII fallback if the name has other characters. Directories in the name are removed.
std::string attachment(std::string_view filename);

/// Adds names to Vary, unless it already contains them. There is only one Vary field, because some
/// caches ignore others.
void add_vary(http::Fields& fields, std::string_view names);

}  // namespace fw::http
