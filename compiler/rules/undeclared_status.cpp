// [undeclared-status]
#include <fmt/format.h>

#include <algorithm>

#include "options/response_selectors.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

/// Whether the document says by itself what is sent with the status, because it has no schema.
bool is_documented(const model::HandlerUse& handler, int status) {
  bool is_sent = false;
  for (const model::SentResponse& sent : handler.sent) {
    if (std::ranges::find(sent.statuses, status) == sent.statuses.end()) continue;
    if (sent.function == "json") return false;
    is_sent = true;
  }
  return is_sent && !handler.sends_others;
}

}  // namespace

void lint_undeclared_status(const LintedRoute& route, Reporter& reporter) {
  const model::Route& resolved = *route.route;
  if (resolved.docs.hidden ||
      std::ranges::all_of(resolved.responses, &model::ResponseSchema::is_inferred)) {
    return;
  }
  for (const model::SentStatus& sent : route.registration->handler.statuses) {
    if (is_documented(route.registration->handler, sent.status)) continue;
    const std::string status = std::to_string(sent.status);
    const auto is_selected = [&](std::string_view selector) {
      return fw::options::selects(selector, status);
    };
    if (std::ranges::any_of(resolved.responses, is_selected, &model::ResponseSchema::selector) ||
        std::ranges::any_of(resolved.docs.responses, is_selected,
                            &model::DocumentedResponse::selector)) {
      continue;
    }
    auto& lint = reporter.report(
        rules::undeclared_status,
        fmt::format("the handler sends status {}, which 'responses' does not declare", status),
        sent.range,
        fmt::format("add '{{\"{0}\", {{…}}}}' to 'responses', or, for a response without JSON, "
                    "'{{\"{0}\", {{.description = \"…\"}}}}' to 'docs.responses'",
                    status));
    add_call_notes(lint, sent.calls);
  }
}

}  // namespace fairway::rules
