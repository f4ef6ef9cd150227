// Turns of the responses of a connection that are equally urgent (RFC 9218).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fw::http {

/// So much of a response that is not incremental is sent in one piece. Then it shares the
/// connection with others of its urgency, so that a large one delays small ones by little.
inline constexpr std::size_t kUnsharedSize = 256 * 1024;

/// The urgency in a Priority field: 0 to 7. An absent or invalid one is 3.
std::uint32_t urgency_of(std::string_view priority);

}  // namespace fw::http
