// The stage that runs the handler and the hooks around it.
#include "chain/early_hooks.hpp"
#include "chain/stages.hpp"
#include "observe/active_span.hpp"

namespace fw::detail {
namespace {

class HandlerStage : public Stage {
 public:
  explicit HandlerStage(const Route& route) : handler_(route.handler) {}

  void run(Exchange& exchange, const NextStages&) const override {
    const Hooks& hooks = exchange.env.hooks;
    const Logger& logger = exchange.env.logger;
    if (hooks.any<hooks::HandlerBefore>()) {
      hooks::HandlerBefore event{exchange.request, exchange.response};
      emit_in_time(exchange, event);
      if (exchange.outgoing.is_set()) return;
    }
    try {
      run_in_span("handler", [&]() __attribute__((always_inline)) {
        const RequestStateScope scope(exchange, RequestState::handler);
        handler_(exchange.request, exchange.response);
      });
    } catch (...) {
      if (hooks.any<hooks::HandlerError>()) {
        hooks::HandlerError event{exchange.request, exchange.response, std::current_exception()};
        hooks.emit(event, logger);
      }
      throw;
    }
    if (hooks.any<hooks::HandlerAfter>()) {
      hooks::HandlerAfter event{exchange.request, exchange.response};
      hooks.emit(event, logger);
    }
  }

 private:
  const Handler& handler_;
};

}  // namespace

Stages handler_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  return one_stage<HandlerStage>(*context.route);
}

}  // namespace fw::detail
