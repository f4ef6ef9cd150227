// From the resolved options of one registration to the model.
#pragma once

#include <string>
#include <vector>

#include "check/reporter.hpp"
#include "model/application.hpp"

namespace fairway::check {

/// Fills everything of `route` that its options declare, the fingerprint included, and reports
/// what is wrong with each of them. `options` is null for a registration without options;
/// `parameters` are those of the route's path.
void apply_options(const model::Value* options, const std::vector<std::string>& parameters,
                   model::Route& route, Reporter& reporter);

}  // namespace fairway::check
