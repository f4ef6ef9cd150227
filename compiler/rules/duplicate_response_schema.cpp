#include <fmt/format.h>

#include <algorithm>

#include "rules/route_rules.hpp"

namespace fairway::rules {

void check_duplicate_response_schemas(const model::Route& route, Reporter& reporter) {
  for (const model::DocumentedResponse& documented : route.docs.responses) {
    if (!documented.schema) continue;
    const auto declared =
        std::ranges::find(route.responses, documented.selector, &model::ResponseSchema::selector);
    if (declared == route.responses.end()) continue;
    reporter
        .report(
            rules::duplicate_response_schema,
            fmt::format("'docs.responses' also declares a schema for '{}'", documented.selector),
            documented.range, "keep the schema in 'responses' only")
        .notes.push_back({"'responses' declares it here", declared->range});
  }
}

}  // namespace fairway::rules
