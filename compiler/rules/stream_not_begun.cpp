// [stream-not-begun]
#include <fmt/format.h>

#include <algorithm>

#include "rules/lints.hpp"

namespace fairway::rules {

void lint_stream_not_begun(const LintedRoute& route, Reporter& reporter) {
  const model::Route& resolved = *route.route;
  const model::ResponseSchema* declared = resolved.streamed();
  if (declared == nullptr || resolved.sends_others) return;
  const bool is_events = declared->stream->format == model::Stream::Format::events;
  const char* const function = is_events ? "events" : "lines";
  if (std::ranges::any_of(resolved.sent,
                          [&](const auto& sent) { return sent.function == function; })) {
    return;
  }
  reporter.report(
      rules::stream_not_begun,
      fmt::format("'responses' declares {0}, and the handler never calls 'res.{0}()'", function),
      declared->range,
      fmt::format("call 'res.{}()' and keep its result, or declare what is sent", function));
}

}  // namespace fairway::rules
