// Header fields about representations: media types, and Content-Disposition (RFC 6266).
#pragma once

#include <string>
#include <string_view>

namespace fw::detail {

/// The media type of a Content-Type field, without parameters and unchanged.
std::string_view media_type(std::string_view content_type);
/// Whether a media type is JSON: application/json, or one that ends with +json.
bool is_json(std::string_view media_type);

/// A value of Content-Disposition: `attachment; filename="report.csv"`; with `filename*` and an
/// ASCII fallback if the name has other characters. Directories in the name are removed.
std::string attachment(std::string_view filename);

}  // namespace fw::detail
