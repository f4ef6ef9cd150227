// Media types in fields (RFC 9110, sections 8.3 and 12.5.1).
#pragma once

#include <initializer_list>
#include <string_view>

#include "base/ascii.hpp"

namespace fw::base {

/// The media type of a value of Content-Type, without parameters and unchanged.
constexpr std::string_view media_type(std::string_view content_type) {
  return trim_ows(content_type.substr(0, content_type.find(';')));
}

/// Whether a value of Content-Type is JSON: application/json, or a type that ends with +json.
inline bool is_json(std::string_view content_type) {
  constexpr std::string_view kSuffix = "+json";
  const std::string_view type = media_type(content_type);
  return equal_ignoring_case(type, "application/json") ||
         (type.size() > kSuffix.size() &&
          equal_ignoring_case(type.substr(type.size() - kSuffix.size()), kSuffix));
}

/// Whether a value of Accept names one of the media types or ranges.
inline bool accepts(std::string_view accept, std::initializer_list<std::string_view> types) {
  bool found = false;
  for_each_token(accept, ',', [&](std::string_view range) {
    for (const std::string_view type : types) {
      found = found || equal_ignoring_case(media_type(range), type);
    }
  });
  return found;
}

/// A media type without parameters, or all types of a family: "image/png", "image/*".
inline bool is_media_range(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto is_name = [](std::string_view name) {
    return is_token(name) && name.find('*') == std::string_view::npos;
  };
  const std::string_view subtype = text.substr(slash + 1);
  return is_name(text.substr(0, slash)) && (subtype == "*" || is_name(subtype));
}

}  // namespace fw::base
