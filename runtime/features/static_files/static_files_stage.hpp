// The file of a request (docs/static-files.md).
#pragma once

#include "exchange/exchange.hpp"
#include "features/static_files/static_file_set.hpp"

namespace fw::detail {

/// Looks for the file of a request without a route, and keeps it in the exchange.
bool find_file(Exchange& exchange, const StaticFiles& files);

}  // namespace fw::detail
