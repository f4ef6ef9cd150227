// [not-a-tool]
#include "options/option_constraints.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {

void check_tool(const model::Value& options, const model::Route& route, Reporter& reporter) {
  const model::ResponseSchema* const streamed = route.streamed();
  const fw::options::ToolRoute tool{.options = route.options,
                                    .method = route.method,
                                    .operation_id = route.operation_id,
                                    .returns_stream = streamed != nullptr && streamed->is_inferred};
  report_violations(fw::options::tool_violations(tool), rules::not_a_tool, options, reporter);
}

}  // namespace fairway::rules
