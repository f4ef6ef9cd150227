// The media types of bodies that the body parser reads.
#pragma once

#include <string_view>

#include "base/ascii.hpp"
#include "base/media_type.hpp"
#include "exchange/parsed_body.hpp"

namespace fw::detail {

/// The type of a body with this `Content-Type`.
inline BodyType body_type_of(std::string_view content_type) {
  if (base::is_json(content_type)) return BodyType::json;
  const bool is_form = base::equal_ignoring_case(base::media_type(content_type),
                                                 "application/x-www-form-urlencoded");
  return is_form ? BodyType::form : BodyType::other;
}

}  // namespace fw::detail
