// Random strings of the formats of the schema language.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contract_test/random_source.hpp"

namespace fairway::contract_test {

/// A string for a JSON Schema with this `format` and this `pattern`, which are empty if the schema
/// lacks them; nothing if the schema language has no such format. Strings differ each time: an
/// application may accept a value only once, such as the address of a new account, and the items of
/// an array may have to differ. Their names and networks are reserved for documentation.
std::optional<std::string> value_of_format(std::string_view format, std::string_view pattern,
                                           RandomSource& random);

}  // namespace fairway::contract_test
