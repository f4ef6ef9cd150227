// [session-not-enabled]
#include <algorithm>
#include <string_view>

#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {

void lint_session_not_enabled(const LintedRoute& route, Reporter& reporter) {
  const auto& calls = route.registration->handler.calls;
  const auto call = [&](std::string_view function) {
    return std::ranges::find(calls, function, &model::RequestCall::function);
  };
  const auto use = call("session");
  if (use == calls.end() || call("has_session") != calls.end()) return;
  const model::Member* session = route.option("session");
  if (session) {
    const model::Value& value = session->value;
    if (value.kind != model::Value::Kind::boolean || value.boolean) return;
    reporter
        .report(rules::session_not_enabled,
                "the route has no session: 'req.session()' throws an exception", use->range,
                "remove 'session = false', or check 'req.has_session()' first")
        .notes.push_back({"'session' is set to false here", session->name_range});
    return;
  }
  if (!route.settings->is_known || route.settings->config.session.enabled) return;
  reporter.report(rules::session_not_enabled,
                  "the configuration enables no sessions: 'req.session()' throws an exception",
                  use->range,
                  "set 'session.enabled' in the configuration, or add '.session = true'");
}

}  // namespace fairway::rules
