// Header fields about representations: content negotiation and conditional requests (RFC 9110, 12
// and 13), and Content-Disposition (RFC 6266).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fw::detail {

/// The media type of a Content-Type field, without parameters and unchanged.
std::string_view media_type(std::string_view content_type);
/// Whether a media type is JSON: application/json, or one that ends with +json.
bool is_json(std::string_view media_type);

/// A strong entity tag, with its quotation marks, of these bytes.
std::string make_entity_tag(std::string_view bytes);

/// Whether a field value of If-None-Match names `tag`; "*" names every tag.
bool names_entity_tag(std::string_view if_none_match, std::string_view tag);

/// Whether a field value of If-Match names the strong `tag`.
bool names_strong_entity_tag(std::string_view if_match, std::string_view tag);

/// Whether an Accept-Encoding field accepts `coding`. Formally, an absent field accepts every
/// coding, but most clients without it cannot decode, so the result is false.
bool takes_coding(std::optional<std::string_view> accept_encoding, std::string_view coding);

/// A value of Content-Disposition: `attachment; filename="report.csv"`; with `filename*` and an
/// ASCII fallback if the name has other characters. Directories in the name are removed.
std::string attachment(std::string_view filename);

}  // namespace fw::detail
