// Rejects requests that do not open a socket, and pages of other origins (docs/sockets.md).
#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/origin.hpp"
#include "chain/stages.hpp"
#include "errors/messages.hpp"
#include "http/websocket/handshake.hpp"

namespace fw::detail {
namespace {

class SocketStage : public Stage {
 public:
  explicit SocketStage(const TextList& origins) {
    for (const Text& origin : origins) {
      if (origin.str() == "*") allows_all_ = true;
      origins_.push_back(base::parse_origin(origin).value_or(origin.str()));
    }
  }

  void run(Exchange& exchange, const NextStages& next) const override {
    const http::Transaction& transaction = *exchange.transaction;
    if (const auto error =
            http::websocket::find_handshake_error(exchange.head, transaction.http_version())) {
      constexpr int kUpgradeRequired = 426;
      if (error->status == kUpgradeRequired) {
        exchange.outgoing.set_valid_field("upgrade", "websocket");
        exchange.outgoing.set_valid_field("sec-websocket-version", "13");
      }
      throw HttpError(error->status, std::string(error->message));
    }
    if (!transaction.can_open_socket()) {
      throw status_error(501, "this server has no sockets");
    }
    require_origin(exchange);
    next(exchange);
  }

 private:
  /// Browsers let any page open a socket, with the cookies and certificates of the user and from
  /// within the user's network, and send the origin of the page. Clients without an origin are no
  /// browsers.
  void require_origin(Exchange& exchange) const {
    if (allows_all_) return;
    const auto origin = exchange.header("origin");
    if (!origin) return;
    const auto parsed = base::parse_origin(*origin);
    if (parsed && std::ranges::find(origins_, *parsed) != origins_.end()) return;
    const auto own = base::parse_origin(
        fmt::format("{}://{}", exchange.protocol(), exchange.header("host").value_or("")));
    if (parsed && parsed == own) return;
    throw status_error(403, "pages of this origin may not open the socket");
  }

  std::vector<std::string> origins_;
  bool allows_all_ = false;
};

}  // namespace

Stages socket_opening_stage(const StageContext& context) {
  if (context.route == nullptr || !context.route->socket_policy) return {};
  return one_stage<SocketStage>(context.route->options.socket.origins);
}

}  // namespace fw::detail
