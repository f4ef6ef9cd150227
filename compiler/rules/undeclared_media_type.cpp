// [undeclared-media-type]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/media_type.hpp"
#include "options/response_selectors.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

constexpr std::array<std::string_view, 4> kOthers = {"text", "stream", "download", "render"};
constexpr int kMinError = 400;

/// Whether the response certainly has a body that is no JSON.
bool is_other_body(const model::SentResponse& sent) {
  const std::string_view type = sent.media_type;
  return std::ranges::find(kOthers, sent.function) != kOthers.end() && !type.empty() &&
         type.find('*') == std::string_view::npos && !fw::base::is_json(type);
}

/// Whether the response may be JSON with a status that the selector selects.
bool may_be_json(const model::SentResponse& sent, std::string_view selector) {
  if (sent.function == "redirect" || sent.function == "end" || is_other_body(sent)) return false;
  if (sent.statuses.empty()) {
    const bool is_error = selector.starts_with('4') || selector.starts_with('5');
    return (sent.function != "raise" && !sent.is_error) || is_error;
  }
  return std::ranges::any_of(sent.statuses, [&](int status) {
    return fw::options::selects(selector, std::to_string(status));
  });
}

/// The schema that describes no response with the status; null if there may be one.
const model::ResponseSchema* unused_schema(const model::Route& route, int status) {
  const std::string text = std::to_string(status);
  const model::ResponseSchema* const declared = route.declared_for(status);
  if (declared == nullptr || declared->stream || !fw::options::may_have_content(text)) {
    return nullptr;
  }
  // The framework sends errors, too.
  const bool is_exact = declared->selector == text;
  if (!is_exact && (status >= kMinError || declared->selector == "default")) return nullptr;
  const bool has_media_type =
      std::ranges::any_of(route.docs.responses, [&](const model::DocumentedResponse& response) {
        return !response.content_type.empty() && fw::options::selects(response.selector, text);
      });
  const bool may_be_used = std::ranges::any_of(route.sent, [&](const model::SentResponse& sent) {
    return may_be_json(sent, declared->selector);
  });
  return has_media_type || may_be_used ? nullptr : declared;
}

}  // namespace

void lint_undeclared_media_type(const LintedRoute& route, Reporter& reporter) {
  const model::Route& resolved = *route.route;
  if (resolved.docs.hidden || resolved.sends_others || resolved.method == "HEAD") return;
  for (const model::SentResponse& sent : resolved.sent) {
    // Of several statuses, the handler may send the body with only one.
    const bool is_reported = is_other_body(sent) && !sent.statuses.empty() &&
                             std::ranges::all_of(sent.statuses, [&](int status) {
                               return unused_schema(resolved, status) != nullptr;
                             });
    if (!is_reported) continue;
    const int status = sent.statuses.front();
    reporter
        .report(rules::undeclared_media_type,
                fmt::format("'res.{}' sends {} with status {}, for which 'responses' declares JSON",
                            sent.function, sent.media_type, status),
                sent.range,
                fmt::format("send data with 'res.json', or replace the schema by '{{\"{}\", "
                            "{{.content_type = \"{}\"}}}}' in 'docs.responses'",
                            status, sent.media_type))
        .notes.push_back({"the schema is declared here", unused_schema(resolved, status)->range});
  }
}

}  // namespace fairway::rules
