#include "check/duplicate_response_schema.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairway::check {

void check_duplicate_response_schemas(const model::Route& route, Reporter& reporter) {
  for (const model::DocumentedResponse& documented : route.docs.responses) {
    if (!documented.schema) continue;
    const auto declared =
        std::ranges::find(route.responses, documented.selector, &model::ResponseSchema::selector);
    if (declared == route.responses.end()) continue;
    reporter
        .error("duplicate-response-schema",
               fmt::format("'docs.responses' repeats the schema of '{}'", documented.selector),
               documented.range, "keep the schema in 'responses' only")
        .notes.push_back({"'responses' declares it here", declared->range});
  }
}

}  // namespace fairway::check
