#include "check/unknown_middleware.hpp"

#include <fmt/format.h>

namespace fairway::check {

void check_middlewares(const model::Route& route, const std::set<std::string>& known,
                       Reporter& reporter) {
  for (const model::MiddlewareReference& reference : route.middlewares) {
    if (known.contains(reference.name)) continue;
    reporter.error("unknown-middleware", fmt::format("there is no middleware '{}'", reference.name),
                   reference.range,
                   fmt::format("add 'middlewares/{0}.cpp', or declare a name that the program "
                               "brings itself with '--middleware {0}'",
                               reference.name));
  }
}

}  // namespace fairway::check
