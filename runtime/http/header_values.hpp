// Header fields about representations: media types, Content-Disposition (RFC 6266), and Vary.
#pragma once

#include <string>
#include <string_view>

#include "http/header_fields.hpp"

namespace fw::http {

/// The media type of a Content-Type field, without parameters and unchanged.
std::string_view media_type(std::string_view content_type);
/// Whether a media type is JSON: application/json, or one that ends with +json.
bool is_json(std::string_view media_type);

/// A value of Content-Disposition: `attachment; filename="report.csv"`; with `filename*` and an
/// ASCII fallback if the name has other characters. Directories in the name are removed.
std::string attachment(std::string_view filename);

/// Adds names to Vary, unless it already contains them. There is only one Vary field, because some
/// caches ignore others.
void add_vary(http::Fields& fields, std::string_view names);

}  // namespace fw::http
