// [unknown-middleware] A referenced middleware is a file of middlewares/ or declared to the build.
#pragma once

#include <set>
#include <string>

#include "check/reporter.hpp"
#include "model/application.hpp"

namespace fairway::check {

void check_middlewares(const model::Route& route, const std::set<std::string>& known,
                       Reporter& reporter);

}  // namespace fairway::check
