// The declaration of a route as JSON, from its options in the form of the manifest.
#pragma once

#include <string_view>

#include "model/application.hpp"

namespace fairway::model {

/// Method, subpath and all options without defaults, including documentation. Equal for two
/// spellings of one declaration.
Json route_declaration(std::string_view method, std::string_view subpath, const Json& options);

/// The same without the members that only document, as schema/fingerprint.hpp defines it.
Json effective_declaration(std::string_view method, std::string_view subpath, const Json& options);

}  // namespace fairway::model
