// Compares the messages of sockets.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "diff/comparisons.hpp"
#include "model/openapi_document.hpp"

namespace fairway::diff {
namespace {

/// A direction of a socket.
struct MessageDirection {
  std::string_view member;  ///< in the directions of the service
  Direction direction;      ///< of the values, for clients
  std::string_view added;
  std::string_view removed;
};

constexpr MessageDirection kDirections[] = {
    {"receive", Direction::request, "request-message-added", "request-message-removed"},
    {"send", Direction::response, "response-message-added", "response-message-removed"},
};

bool is_raw(const Node& messages) { return messages && messages.value->is_string(); }

void compare_messages(const Documents& documents, const Node& before, const Node& after,
                      const MessageDirection& direction, Recorder& recorder) {
  const Node old_node = before.member(direction.member);
  const Node new_node = after.member(direction.member);
  const auto at = [&](const std::string& name) {
    return Location{fmt::format("{} message '{}'", direction.member, name), ""};
  };
  if (is_raw(old_node) != is_raw(new_node)) {
    recorder.add("socket-messages-changed", {std::string(direction.member), ""}, old_node, new_node,
                 is_raw(new_node) ? "any text and any bytes replaced the declared messages"
                                  : "declared messages replaced any text and any bytes");
    return;
  }
  if (is_raw(new_node)) return;
  const Node old_messages = documents.before.object(before, direction.member);
  const Node new_messages = documents.after.object(after, direction.member);
  if (old_messages) {
    for (const auto& [name, schema] : old_messages.value->items()) {
      const Node message = old_messages.member(name);
      const Node other = new_messages.member(name);
      if (other) {
        SchemaComparison(documents, direction.direction, false, recorder)
            .compare(conjunction_of(message), conjunction_of(other), at(name));
      } else {
        recorder.add(direction.removed, at(name), message, {}, "the message was removed");
      }
    }
  }
  if (!new_messages) return;
  for (const auto& [name, schema] : new_messages.value->items()) {
    if (old_messages.member(name)) continue;
    recorder.add(direction.added, at(name), {}, new_messages.member(name), "the message was added");
  }
}

bool contains(const Node& list, const Json& value) {
  return list && std::ranges::find(*list.value, value) != list.value->end();
}

void compare_protocols(const Documents& documents, const Node& before, const Node& after,
                       Recorder& recorder) {
  const Node old_list = documents.before.array(before, "protocols");
  const Node new_list = documents.after.array(after, "protocols");
  for (std::size_t i = 0; old_list && i < old_list.value->size(); ++i) {
    const Node protocol = old_list.item(i);
    if (contains(new_list, *protocol.value)) continue;
    recorder.add("socket-protocol-removed", {}, protocol, {},
                 fmt::format("the protocol {} was removed", protocol.value->dump()));
  }
  for (std::size_t i = 0; new_list && i < new_list.value->size(); ++i) {
    const Node protocol = new_list.item(i);
    if (contains(old_list, *protocol.value)) continue;
    recorder.add("socket-protocol-added", {}, {}, protocol,
                 fmt::format("the protocol {} was added", protocol.value->dump()));
  }
}

}  // namespace

void compare_sockets(const Documents& documents, const Node& before, const Node& after,
                     Recorder& recorder) {
  const Node old_socket = documents.before.object(before, model::extensions::kSocket);
  const Node new_socket = documents.after.object(after, model::extensions::kSocket);
  if (!old_socket && !new_socket) return;
  if (!old_socket || !new_socket) {
    recorder.add(
        "socket-changed", {}, old_socket ? old_socket : before, new_socket ? new_socket : after,
        new_socket ? "the operation became a socket" : "the operation is no longer a socket");
    return;
  }
  for (const MessageDirection& direction : kDirections) {
    compare_messages(documents, old_socket, new_socket, direction, recorder);
  }
  compare_protocols(documents, old_socket, new_socket, recorder);
}

}  // namespace fairway::diff
