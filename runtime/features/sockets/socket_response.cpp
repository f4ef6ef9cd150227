// Responses that open a socket: docs/sockets.md.
#include <fairway/sockets.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "exchange/exchange.hpp"
#include "features/sockets/socket_channel.hpp"
#include "http/trusted_proxies.hpp"
#include "http/websocket/handshake.hpp"
#include "http/websocket/permessage_deflate.hpp"

namespace fw::detail {
namespace {

constexpr int kSwitchingProtocols = 101;

/// Opens a socket for a request that asks for it, whose route is one. Throws std::logic_error if
/// there is a response, and HttpError 429 if the client has too many sockets.
std::shared_ptr<SocketChannel> open_socket(Exchange& exchange) {
  OutgoingResponse& response = exchange.outgoing;
  const std::shared_ptr<const SocketPolicy>& policy = exchange.route->socket_policy;
  if (response.is_set()) {
    throw std::logic_error(fmt::format("{} has a response already", policy->route));
  }
  SocketChannel::Agreement agreement;
  base::for_each_token(
      exchange.header(SocketChannel::kProtocol).value_or(""), ',', [&](std::string_view offered) {
        if (agreement.protocol != nullptr) return;
        const auto chosen = std::ranges::find(policy->protocols, base::trim_ows(offered));
        if (chosen != policy->protocols.end()) agreement.protocol = &*chosen;
      });
  std::optional<http::websocket::Deflate> deflate;
  if (policy->is_compressed) {
    deflate =
        http::websocket::choose_deflate(exchange.header(SocketChannel::kExtensions).value_or(""));
    if (deflate) agreement.deflate_window_bits = deflate->window_bits;
  }
  auto channel =
      std::make_shared<SocketChannel>(policy, agreement, http::client_group(exchange.ip()));
  response.open(OutgoingResponse::Kind::socket, channel);
  response.status = kSwitchingProtocols;
  // HTTP/2 has neither (RFC 8441, 5).
  if (const auto key = exchange.header("sec-websocket-key"); key && !exchange.head.opens_socket) {
    response.set_valid_field(SocketChannel::kAccept,
                             http::websocket::accept_key(base::trim_ows(*key)));
  }
  if (agreement.protocol != nullptr) {
    response.set_valid_field(SocketChannel::kProtocol, *agreement.protocol);
  }
  if (deflate) response.set_valid_field(SocketChannel::kExtensions, deflate->response);
  return channel;
}

}  // namespace

std::function<void(Request&, Response&)> opening_handler(SocketHandler handler) {
  return [open = std::move(handler)](Request& req, Response&) {
    Socket socket(open_socket(Exchange::of(req)));
    open(req, socket);
  };
}

}  // namespace fw::detail
