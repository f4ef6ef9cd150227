// Enables the session of a route, and saves it at the end.
#include <exception>

#include "errors/exception_info.hpp"
#include "exchange/session_policy.hpp"
#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

class SessionStage : public Stage {
 public:
  explicit SessionStage(const SessionPolicy& policy) : policy_(policy) {}

  void run(Exchange& exchange, const Rest& rest) const override {
    exchange.enable_sessions(policy_);
    try {
      rest(exchange);
    } catch (...) {
      finish_after_error(exchange);
      throw;
    }
    try {
      exchange.finish_session();
    } catch (...) {
      exchange.outgoing.discard();  // because it would confirm changes that were not saved
      throw;
    }
  }

 private:
  /// The response reports the error of the route; an error while saving the session is only logged.
  static void finish_after_error(Exchange& exchange) {
    try {
      exchange.finish_session();
    } catch (...) {
      const ExceptionInfo info = describe(std::current_exception());
      exchange.env.logger.error("the session could not be saved: " + info.message,
                                Json{{"err", to_log_field(info)}});
    }
  }

  SessionPolicy policy_;
};

}  // namespace

Stages session_stage(const Composition& composition) {
  if (composition.route == nullptr) return {};
  const auto policy = session_policy(composition.env, *composition.route);
  if (!policy) return {};
  return one_stage<SessionStage>(*policy);
}

}  // namespace fw::detail
