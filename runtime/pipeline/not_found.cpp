// Responds to requests without a route: 404, 405 with Allow, or OPTIONS with Allow.
#include "chain/error_response.hpp"
#include "chain/stages.hpp"
#include "errors/messages.hpp"

namespace fw::detail {
namespace {

class NotFound : public Stage {
 public:
  void run(Exchange& exchange, const NextStages&) const override {
    if (exchange.outgoing.is_set()) return;  // a hook may have responded
    const std::string& id = exchange.context.request_id;
    if (!exchange.allow) {
      respond_with_error_body(exchange, 404, plain_error_body(404, default_message(404), id));
      return;
    }
    exchange.outgoing.set_field("allow", *exchange.allow);
    if (exchange.head.method == "OPTIONS") {
      exchange.outgoing.json(nullptr, 204, Envelope::none);
    } else {
      respond_with_error_body(exchange, 405, plain_error_body(405, kMethodNotAllowed, id));
    }
  }
};

}  // namespace

Stages not_found_stage(const StageContext& context) {
  if (context.route != nullptr) return {};
  return one_stage<NotFound>();
}

}  // namespace fw::detail
