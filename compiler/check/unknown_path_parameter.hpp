// [unknown-path-parameter] `validate.param` names parameters that the path has.
#pragma once

#include <string>
#include <vector>

#include "check/reporter.hpp"

namespace fairway::check {

/// `fields` is the SchemaMap of `validate.param`, `names` the parameters of the final path.
void check_path_parameters(const model::Value& fields, const std::vector<std::string>& names,
                           Reporter& reporter);

}  // namespace fairway::check
