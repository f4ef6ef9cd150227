// Values of header fields about representations: which ones a client has and takes (RFC 9110, 12
// and 13), and as which file it saves one (RFC 6266).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fw::detail {

/// The media type of a Content-Type field, without parameters, as written.
std::string_view media_type(std::string_view content_type);
/// Whether a media type is JSON: application/json, or one that ends with +json.
bool is_json(std::string_view media_type);

/// A strong entity tag, with its quotation marks, of these bytes.
std::string make_entity_tag(std::string_view bytes);

/// Whether a field value of If-None-Match names `tag`; "*" names every tag.
bool names_entity_tag(std::string_view if_none_match, std::string_view tag);

/// Whether a field value of If-Match names the strong `tag`.
bool names_strong_entity_tag(std::string_view if_match, std::string_view tag);

/// Whether a field value of Accept-Encoding takes `coding`. An absent field takes everything, but
/// few that leave it out can decode: they are given no coding.
bool takes_coding(std::optional<std::string_view> accept_encoding, std::string_view coding);

/// A value of Content-Disposition: `attachment; filename="report.csv"`; with `filename*` beside an
/// ASCII fallback when the name has other characters. Directories in the name are dropped.
std::string attachment(std::string_view filename);

}  // namespace fw::detail
