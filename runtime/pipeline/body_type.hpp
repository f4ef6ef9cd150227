// The media types of bodies that the body parser reads.
#pragma once

#include <string_view>

#include "base/ascii.hpp"
#include "exchange/exchange.hpp"
#include "http/header_values.hpp"

namespace fw::detail {

/// The type of a body with this `Content-Type`.
inline BodyType body_type_of(std::string_view content_type) {
  const std::string_view type = http::media_type(content_type);
  if (http::is_json(type)) return BodyType::json;
  const bool is_form = base::equal_ignoring_case(type, "application/x-www-form-urlencoded");
  return is_form ? BodyType::form : BodyType::other;
}

}  // namespace fw::detail
