#include "features/sockets/socket_policy.hpp"

#include <algorithm>
#include <utility>

#include "exchange/environment.hpp"
#include "http/websocket/permessage_deflate.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kDefaultMaxMessage = 64 * 1024;
/// Several of the largest messages, so that a handler can send what it has received.
constexpr std::size_t kDefaultQueue = 4 * kDefaultMaxMessage;

template <class Message>
const Message* find(const std::vector<Message>& messages, std::string_view name) {
  const auto found = std::ranges::find(messages, name, &Message::name);
  return found == messages.end() ? nullptr : &*found;
}

}  // namespace

const DeclaredMessages::Received* DeclaredMessages::find_received(std::string_view name) const {
  return find(received, name);
}

const DeclaredMessages::Sent* DeclaredMessages::find_sent(std::string_view name) const {
  return find(sent, name);
}

SocketPolicy::SocketPolicy(std::string route_name, const RouteOptions& options,
                           DeclaredMessages messages, const Environment& environment)
    : env(environment),
      route(std::move(route_name)),
      declared(std::move(messages)),
      queue(options.socket.queue.is_set() ? options.socket.queue : ByteSize(kDefaultQueue),
            options.socket.overflow),
      max_message(options.socket.max_message.is_set()
                      ? static_cast<std::size_t>(options.socket.max_message.bytes())
                      : kDefaultMaxMessage),
      heartbeat(environment.config.server.heartbeat),
      closes_on_invalid(options.socket.close_on_invalid),
      is_compressed(http::websocket::has_deflate() &&
                    options.compression.value_or(environment.compression.is_enabled())),
      counts(static_cast<std::size_t>(options.socket.max_per_address.value_or(
          environment.config.server.max_streams_per_address))) {
  for (const Text& protocol : options.socket.protocols) protocols.push_back(protocol.str());
}

}  // namespace fw::detail
