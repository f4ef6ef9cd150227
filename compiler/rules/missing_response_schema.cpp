// [missing-response-schema]
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/media_type.hpp"
#include "model/output_schema.hpp"
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
  return !response.content_type.empty() && !fw::base::is_json(response.content_type);
}

bool is_settled(const model::DocumentedResponse& response) {
  return has_no_json(response) || (response.schema && is_success(response.selector));
}

/// A success status with which the handler sends data of any type, and for which nothing is
/// declared; 0 if there is none.
int status_with_any_data(const model::Route& route) {
  for (const model::SentResponse& sent : route.sent) {
    if (sent.function != "json" || !model::is_any(sent.type)) continue;
    for (const int status : sent.statuses) {
      const std::string text = std::to_string(status);
      const auto selects = [&](const auto& response) {
        return fw::options::selects(response.selector, text);
      };
      const bool is_declared = std::ranges::any_of(route.responses, selects) ||
                               std::ranges::any_of(route.docs.responses, selects);
      if (is_success(text) && !is_declared) return status;
    }
  }
  return 0;
}

}  // namespace

void lint_missing_response_schema(const LintedRoute& route, Reporter& reporter) {
  const model::Route& resolved = *route.route;
  if (resolved.docs.hidden || resolved.method == "HEAD" || route.option("frontend")) return;
  // It sends messages. What its handler passes to other functions may be an error only.
  if (resolved.socket || route.registration->handler.compile_error) return;
  const bool has_any_success =
      std::ranges::any_of(resolved.responses, is_success, &model::ResponseSchema::selector) ||
      std::ranges::any_of(resolved.docs.responses, is_settled);
  const bool is_missing = route.registration->handler.may_send_json && !has_any_success;
  const int status = status_with_any_data(resolved);
  if (!is_missing && status == 0) return;
  // The schemas of what the handler sends are in no option.
  const bool has_option =
      !std::ranges::all_of(resolved.responses, &model::ResponseSchema::is_inferred);
  std::string message;
  if (has_option && !has_any_success) {
    message = status == 0 ? "'responses' declares errors only, and the handler may send others"
                          : fmt::format(
                                "'responses' declares errors only, and the handler sends "
                                "status {}",
                                status);
  } else {
    message = "the route declares no schema for its response";
    if (status != 0 && status != 200) message += fmt::format(" {}", status);
  }
  reporter.report(rules::missing_response_schema, message, route.range_for("responses"),
                  "return or send a struct, whose type is the schema, or write '.responses = "
                  "{{\"200\", {{\"id\", \"integer\"}}}}'; a response without JSON is declared by "
                  "its status or media type in 'docs.responses', for example '{{\"204\", "
                  "{.description = \"done\"}}}'");
}

}  // namespace fairway::rules
