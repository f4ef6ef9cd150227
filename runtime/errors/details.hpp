// Prepares the details of an error for the response (docs/errors.md).
#pragma once

#include <fairway/json.hpp>

namespace fw::detail {

/// The details for the response: at most eight levels deep, scalars wrapped in an object; null if
/// nothing remains.
Json clean_details(const Json& details);

}  // namespace fw::detail
