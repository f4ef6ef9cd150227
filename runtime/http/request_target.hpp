// The request target (RFC 9112, 3.2).
#pragma once

#include <optional>
#include <string_view>

#include "http/adapter.hpp"
#include "http/request_error.hpp"

namespace fw::http {

/// Printable ASCII without blanks and without the number sign: a target has no fragment.
bool is_request_target(std::string_view text);

/// Reduces an absolute-form target to origin form; its authority replaces Host. Refuses what is
/// neither of these two, nor the asterisk of OPTIONS.
std::optional<RequestError> normalize_request_target(RequestHead& head);

}  // namespace fw::http
