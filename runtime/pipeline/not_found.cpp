// Responds to requests without a route and without a file: 404, 405 with Allow, or OPTIONS with
// Allow.
#include <fairway/hooks.hpp>

#include "chain/error_response.hpp"
#include "chain/stages.hpp"
#include "errors/messages.hpp"
#include "features/static_files/static_file_set.hpp"

namespace fw::detail {
namespace {

class NotFound : public Stage {
 public:
  void run(Exchange& exchange, const NextStages&) const override {
    run_hook(exchange);
    if (exchange.outgoing.is_set()) return;
    const std::string& id = exchange.context.request_id;
    if (!exchange.allow) {
      respond_with_error_body(exchange, 404, plain_error_body(404, default_message(404), id));
      return;
    }
    exchange.outgoing.set_field("allow", *exchange.allow);
    if (exchange.head.method == "OPTIONS") {
      exchange.outgoing.json(nullptr, 204, Envelope::none);
    } else {
      respond_with_error_body(exchange, 405, plain_error_body(405, status_name(405), id));
    }
  }

 private:
  static void run_hook(Exchange& exchange) {
    const Environment& env = exchange.env;
    if (exchange.outgoing.is_set() || !env.hooks.any<hooks::RouteNotFound>()) return;
    if (exchange.slots.get<StaticFile>() != nullptr) return;  // a file has no such method
    hooks::RouteNotFound event{exchange.request, exchange.response};
    env.hooks.emit(event, env.logger);
  }
};

}  // namespace

Stages not_found_stage(const StageContext& context) {
  if (context.route != nullptr) return {};
  return one_stage<NotFound>();
}

}  // namespace fw::detail
