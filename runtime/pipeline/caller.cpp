// Keeps the caller of a request for code that has no access to the request.
#include <fairway/auth.hpp>

#include <memory>
#include <utility>

#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

/// After the middlewares of the application, and again after those of the route.
class KeepCaller : public Stage {
 public:
  void run(Exchange& exchange, const Rest& rest) const override {
    auto kept = std::make_shared<KeptCaller>();
    if (exchange.is_authenticated()) {
      const AuthContext& identity = exchange.auth();
      if (exchange.env.config.request_context.log_user) {
        kept->logged_user = identity.user_id.empty() ? identity.subject : identity.user_id;
      }
      kept->caller = {.user_id = identity.user_id,
                      .subject = identity.subject,
                      .provider = identity.provider,
                      .scheme = identity.scheme};
    }
    exchange.context.caller = std::move(kept);
    rest(exchange);
  }
};

}  // namespace

Stages caller_stage(const Composition& composition) {
  if (composition.route == nullptr || !composition.env.config.request_context.enabled ||
      !may_authenticate(composition)) {
    return {};
  }
  return one_stage<KeepCaller>();
}

Stages route_caller_stage(const Composition& composition) {
  if (composition.route == nullptr || composition.route->options.middlewares.empty()) return {};
  return caller_stage(composition);
}

}  // namespace fw::detail
