// Makes what an error carries fit to be sent (reference: details cleaning).
#pragma once

#include <fairway/json.hpp>

namespace fw::detail {

/// The details as they are sent: at most eight levels deep, a scalar wrapped in an object; null
/// when nothing is left to send.
Json clean_details(const Json& details);

}  // namespace fw::detail
