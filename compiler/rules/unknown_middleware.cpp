#include <fmt/format.h>

#include <vector>

#include "base/suggest.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {

void check_middlewares(const model::Route& route, const std::set<std::string>& known,
                       Reporter& reporter) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const model::MiddlewareReference& reference : route.middlewares) {
    if (known.contains(reference.name)) continue;
    const auto near = fw::base::near_names(reference.name, names);
    auto& error = reporter.report(
        rules::unknown_middleware, fmt::format("there is no middleware '{}'", reference.name),
        reference.range,
        near.size() == 1 ? fmt::format("did you mean '{}'?", near.front())
                         : fmt::format("add 'middlewares/{0}.cpp', or, if the program registers "
                                       "it, declare it with '--middleware {0}'",
                                       reference.name));
    if (near.size() == 1 && reference.name_range) {
      error.fixes.push_back({*reference.name_range, std::string(near.front())});
    }
  }
}

}  // namespace fairway::rules
