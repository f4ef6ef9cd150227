// Names of option members: C++ spells them in snake_case, documents use the reference's.
#pragma once

#include <string>
#include <string_view>

namespace fairway::check {

/// "body_parser" gives "bodyParser", "override_" gives "override".
std::string reference_name(std::string_view member);

}  // namespace fairway::check
