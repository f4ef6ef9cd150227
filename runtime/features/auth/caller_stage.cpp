// Tells code that has no access to the request who makes it.
#include <fairway/auth.hpp>

#include "chain/stages.hpp"
#include "features/auth/guard_stage.hpp"

namespace fw::detail {
namespace {

/// After the middlewares of the application, and again after the middlewares of the route.
class SetCaller : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    static const AuthContext anonymous;
    RequestContext& context = exchange.context;
    context.identity = exchange.identity.is_authenticated() ? &exchange.identity.get() : &anonymous;
    context.caller.reset();
    if (exchange.env.config.request_context.log_user) context.keep_caller(true);
    next(exchange);
  }
};

}  // namespace

Stages caller_stage(const StageContext& context) {
  if (context.route == nullptr || !context.env.config.request_context.enabled ||
      !may_authenticate(context)) {
    return {};
  }
  return one_stage<SetCaller>();
}

Stages route_caller_stage(const StageContext& context) {
  if (context.route == nullptr || context.route->options.middlewares.empty()) return {};
  return caller_stage(context);
}

}  // namespace fw::detail
