// Rejects requests that have waited for the turn of their body for too long.

#include "chain/stages.hpp"
#include "errors/messages.hpp"
#include "exchange/body_turns.hpp"

namespace fw::detail {
namespace {

class BodyTurnStage : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    const RoutePlan* const plan = exchange.plan();
    if (plan != nullptr && plan->body_turn && plan->body_turn->is_late()) {
      exchange.outgoing.set_field("retry-after", "1");
      throw status_error(503);
    }
    next(exchange);
  }
};

}  // namespace

Stages body_turn_stage(const StageContext& context) {
  if (context.route == nullptr || !context.route->options.body_parser.stream) return {};
  return one_stage<BodyTurnStage>();
}

}  // namespace fw::detail
