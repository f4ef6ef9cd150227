// [missing-response-schema]
#include <algorithm>
#include <string_view>

#include "options/response_selectors.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

bool is_success(std::string_view selector) {
  return selector.starts_with('2') || selector == "default";
}

// A response without JSON needs no schema: an empty one, a redirect or a file.
bool has_no_json(const model::DocumentedResponse& response) {
  if (!fw::options::may_have_content(response.selector)) return true;
  if (response.selector.starts_with('3')) return true;
  const std::string_view type =
      std::string_view(response.content_type).substr(0, response.content_type.find(';'));
  return !type.empty() && type != "application/json" && !type.ends_with("+json");
}

bool is_settled(const model::DocumentedResponse& response) {
  return has_no_json(response) || (response.schema && is_success(response.selector));
}

}  // namespace

void lint_missing_response_schema(const LintedRoute& route, Reporter& reporter) {
  const model::Route& resolved = *route.route;
  if (resolved.docs.hidden || resolved.method == "HEAD" || route.option("frontend")) return;
  if (!route.registration->handler.may_send_json) return;
  if (std::ranges::any_of(resolved.responses, is_success, &model::ResponseSchema::selector)) return;
  if (std::ranges::any_of(resolved.docs.responses, is_settled)) return;
  reporter.report(rules::missing_response_schema,
                  resolved.responses.empty() ? "the route declares no schema for its response"
                                             : "'responses' declares errors only",
                  route.range_for("responses"),
                  "write '.responses = {{\"200\", {{\"id\", \"integer\"}}}}'; a response without "
                  "JSON is declared by its status or media type in 'docs.responses', for example "
                  "'{{204, {.description = \"done\"}}}'");
}

}  // namespace fairway::rules
