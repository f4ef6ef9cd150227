// [undeclared-message]
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/suggest.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

/// A direction of a socket, and what a handler that names a message of it does.
struct Direction {
  std::string_view option;  ///< "receive"
  std::string_view verb;    ///< "has a function for"
  bool is_raw = false;
  std::string_view raw_call;  ///< what is right for `fw::raw`
};

void check(const std::vector<model::NamedMessage>& messages,
           const std::vector<model::StreamItem>& items, const Direction& direction,
           Reporter& reporter) {
  std::vector<std::string_view> declared;
  for (const model::StreamItem& item : items) declared.push_back(item.name);
  for (const model::NamedMessage& message : messages) {
    if (std::ranges::find(declared, message.name) != declared.end()) continue;
    const auto report = [&](std::string_view problem, std::string help) {
      reporter.report(
          rules::undeclared_message,
          fmt::format("the handler {} the message '{}', {}", direction.verb, message.name, problem),
          message.range, std::move(help));
    };
    if (direction.is_raw) {
      report(fmt::format("and '{}' is 'fw::raw'", direction.option),
             fmt::format("call {}", direction.raw_call));
      continue;
    }
    const auto near = fw::base::near_names(message.name, declared);
    report(fmt::format("which '{}' does not declare", direction.option),
           near.empty()
               ? fmt::format("declare the message in '{}', or remove the call", direction.option)
               : fmt::format("did you mean '{}'?", near.front()));
  }
}

}  // namespace

void lint_undeclared_message(const LintedRoute& route, Reporter& reporter) {
  const auto& socket = route.route->socket;
  if (!socket) return;
  const model::MessageUse& use = route.registration->handler.messages;
  check(use.sets, socket->receive,
        {.option = "receive",
         .verb = "has a function for",
         .is_raw = socket->receives_raw,
         .raw_call = "'socket.on_text' or 'socket.on_binary'"},
        reporter);
  check(use.sends, socket->send,
        {.option = "send",
         .verb = "sends",
         .is_raw = socket->sends_raw,
         .raw_call = "'socket.send_text' or 'socket.send_binary'"},
        reporter);
}

}  // namespace fairway::rules
