// The entries of `static` in a JSON layer.
#pragma once

#include <fairway/json.hpp>
#include <fairway/static_files.hpp>

#include <vector>

namespace fw::settings {

/// Returns false and sets nothing if `value` is not a list of valid entries, for example because of
/// an unknown member, a member of the wrong type, or an entry without a prefix or a root.
bool read_static_files(std::vector<StaticConfig>& target, const Json& value);
Json write_static_files(const std::vector<StaticConfig>& entries);

}  // namespace fw::settings
