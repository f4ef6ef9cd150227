#include "options/option_constraints.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {

void check_duplicate_response_schemas(const model::Value& options, const model::Route& route,
                                      Reporter& reporter) {
  report_violations(fw::options::duplicate_response_schemas(route.options),
                    rules::duplicate_response_schema, options, reporter);
}

}  // namespace fairway::rules
