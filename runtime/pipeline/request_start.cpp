// Emits the first event of a request, before any other stage.
#include "chain/stages.hpp"

namespace fw::detail {
namespace {

class RequestStart : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    if (exchange.env.hooks.any<hooks::RequestStart>()) {
      const EachTimeScope scope(exchange);
      hooks::RequestStart event{exchange.request, exchange.response};
      exchange.env.hooks.emit(event, exchange.env.logger);
      if (exchange.outgoing.is_set()) return;
    }
    next(exchange);
  }
};

}  // namespace

Stages request_start_stage(const StageContext&) { return one_stage<RequestStart>(); }

}  // namespace fw::detail
