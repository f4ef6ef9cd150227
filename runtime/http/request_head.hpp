// A whole request head: request line and fields, checked, with the target in origin form.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/adapter.hpp"
#include "http/framing.hpp"
#include "http/request_error.hpp"

namespace fw::http {

/// Parses the bytes of a head, the empty line at its end included.
std::optional<RequestError> parse_request_head(std::string_view bytes, std::size_t max_header_count,
                                               RequestHead& head, Framing& framing);

}  // namespace fw::http
