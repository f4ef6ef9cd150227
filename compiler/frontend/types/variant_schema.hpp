// The schema of a variant, whose alternatives JSON must tell apart.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::frontend {

/// The beginning of a reference to another type.
inline constexpr std::string_view kDefinitions = "#/$defs/";

/// The types of JSON that a schema allows; empty for any.
std::vector<std::string> json_types(const nlohmann::ordered_json& schema);

/// `resolved` is the schema that a reference stands for. Empty if neither a member with different
/// values nor their types tell the alternatives apart.
std::optional<nlohmann::ordered_json> variant_schema(
    const std::vector<nlohmann::ordered_json>& alternatives,
    const std::function<const nlohmann::ordered_json&(const nlohmann::ordered_json&)>& resolved);

/// The member that would tell the alternatives apart if it were required in each; empty: none.
std::string optional_discriminator(
    const std::vector<nlohmann::ordered_json>& alternatives,
    const std::function<const nlohmann::ordered_json&(const nlohmann::ordered_json&)>& resolved);

}  // namespace fairway::frontend
