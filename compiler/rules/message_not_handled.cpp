// [message-not-handled]
#include <fmt/format.h>

#include <algorithm>

#include "model/cpp_names.hpp"
#include "resolve/resolve.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {

void lint_message_not_handled(const LintedRoute& route, Reporter& reporter) {
  const model::MessageUse& use = route.registration->handler.messages;
  const model::Member* receive = route.option("receive");
  if (!route.route->socket || !receive || use.handles_others) return;
  const auto type_of = [](const model::StreamItem& message) {
    return message.type.empty() ? model::type_name(message.name)
                                : message.type.substr(message.type.rfind(':') + 1);
  };
  const auto& received = route.route->socket->receive;
  // `using Words = Say;`: which message it is for is unknown.
  const auto is_alias = [&](const model::NamedMessage& handled) {
    return !handled.type.empty() &&
           std::ranges::find(received, handled.type, type_of) == received.end();
  };
  if (std::ranges::any_of(use.handled, is_alias)) return;
  for (const model::StreamItem& message : received) {
    const std::string type = type_of(message);
    const auto handles = [&](const model::NamedMessage& handled) {
      return handled.type.empty() ? handled.name == message.name : handled.type == type;
    };
    if (std::ranges::any_of(use.handled, handles)) continue;
    const model::Value& name = resolve::named_entry(receive->value, message.name)->items[0];
    reporter.report(
        rules::message_not_handled,
        fmt::format("the handler has no function for the message '{}'", message.name), name.range,
        fmt::format("call 'socket.on(\"{}\", …)', or remove the message", message.name));
  }
}

}  // namespace fairway::rules
