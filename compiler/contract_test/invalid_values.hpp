// Values that break one rule of their schema each.
#pragma once

#include <string>
#include <vector>

#include "contract_test/schema_check.hpp"

namespace fairway::contract_test {

enum class Source {
  text,  ///< of a parameter: every value is sent as a string
  json,
};

struct InvalidValue {
  Json value;
  std::string pointer;  ///< of the part that is wrong
  std::string error;    ///< "is of a wrong type", "is missing"
};

/// For every rule of the schema that applies to a part of `valid`, a copy of it that breaks the
/// rule. Leaves out what the runtime converts, such as "5" for 5.
std::vector<InvalidValue> invalid_values(const SchemaChecker& checker, const Json& schema,
                                         const Json& valid, Source source);

}  // namespace fairway::contract_test
