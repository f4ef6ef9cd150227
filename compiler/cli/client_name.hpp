// The identifier that a client's class and file are named by.
#pragma once

#include <string>

#include "cli/arguments.hpp"

namespace fairway::cli {

/// `--client-name`, else one made of the API's title: "Orders API" gives "orders_api". Throws
/// UsageError for a name that is no identifier.
std::string client_name(const Arguments& arguments, const std::string& title);

}  // namespace fairway::cli
