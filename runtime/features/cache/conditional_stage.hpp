// Entity tags and preconditions of responses (docs/http-caching.md; RFC 9110, 8.8.3 and 13).
#pragma once

#include <cstdint>
#include <optional>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// Responds with 304, without a body, or throws a 412, if the request is a GET or HEAD whose
/// preconditions demand it of the given response. `size` is the size of its body; it is not needed
/// for one that cannot be compressed.
bool respond_to_preconditions(Exchange& exchange, std::optional<std::uint64_t> size);

/// Adds an entity tag to a JSON response, if entity tags are configured and it has none.
void add_entity_tag(Exchange& exchange);

}  // namespace fw::detail
