// The id of a request (docs/server.md).
#pragma once

#include "exchange/exchange.hpp"

namespace fw::detail {

/// Sets the id of the request, which its client may choose, and its field of the response, if ids
/// are enabled. Throws std::runtime_error for an invalid id, which is replaced first.
void assign_request_id(Exchange& exchange);

}  // namespace fw::detail
