// Strings of formats, made at random.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contract_test/random_source.hpp"

namespace fairway::contract_test {

/// A string of the format of JSON Schema; empty if the schema language has no such format. Strings
/// differ each time: an application may accept a value only once, such as the address of a new
/// account, and the items of an array may have to differ. They are of names and networks that are
/// reserved for documentation.
std::optional<std::string> value_of_format(std::string_view format, RandomSource& random);

}  // namespace fairway::contract_test
