// The declaration of a registered route as JSON.
#pragma once

#include <fairway/router.hpp>

#include <nlohmann/json.hpp>

namespace fw::detail {

/// Makes the types that the handler takes the schemas of their locations. Throws std::logic_error
/// if the options have one, too.
void declare_inputs(RouteRecord& record);

/// Method, path and all declared options, including documentation, in the form of
/// schema/fingerprint.hpp. Throws std::logic_error for a C++ type without generated code.
nlohmann::ordered_json declaration_of(const RouteRecord& record);

}  // namespace fw::detail
