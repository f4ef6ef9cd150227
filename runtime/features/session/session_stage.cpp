// Enables the session of a route, and saves it at the end.
#include <exception>
#include <memory>
#include <utility>

#include "chain/error_response.hpp"
#include "chain/stages.hpp"
#include "errors/exception_info.hpp"
#include "features/session/session_policy.hpp"
#include "features/session/session_state.hpp"
#include "http/cookies.hpp"

namespace fw::detail {
namespace {

class SessionStage : public Stage {
 public:
  explicit SessionStage(const SessionPolicy& policy) : policy_(policy) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    auto owned = make_state(exchange);
    SessionState& session = *owned;
    // The session is renewed at the end, when it is too late to reject too many cookies.
    if (policy_.rolling) exchange.cookie(policy_.config.name);
    exchange.enable_session(std::move(owned));
    try {
      next(exchange);
    } catch (...) {
      finish_after_error(exchange, session);
      throw;
    }
    try {
      finish(exchange, session);
    } catch (...) {
      exchange.outgoing.discard();  // because it would confirm changes that were not saved
      throw;
    }
  }

 private:
  std::unique_ptr<SessionState> make_state(Exchange& exchange) const {
    const RoutePlan* plan = exchange.plan();
    if (plan != nullptr && plan->outer_session != nullptr) {
      return std::make_unique<SessionState>(static_cast<SessionState&>(*plan->outer_session),
                                            policy_);
    }
    return std::make_unique<SessionState>(
        policy_, [&exchange, this] { return exchange.cookie(policy_.config.name); },
        plan != nullptr ? plan->session.get() : nullptr);
  }

  void finish(Exchange& exchange, SessionState& session) const {
    // At the deadline of the route, the response is sent before the handler has ended.
    if (exchange.transaction->has_response()) abandon_new_id(exchange, session);
    session.finish();
    write_cookie(exchange, session);
  }

  /// The response reports the error of the route; an error while saving the session is only logged.
  void finish_after_error(Exchange& exchange, SessionState& session) const {
    try {
      // A client that has gone, which may be the error, does not get a new id.
      if (exchange.cancellation()->token().stop_requested()) abandon_new_id(exchange, session);
      finish(exchange, session);
    } catch (...) {
      const std::exception_ptr error = std::current_exception();
      if (!may_log(exchange.env, error) || log_lack_of_memory(exchange.env.logger, error)) return;
      const ExceptionInfo info = describe(error);
      exchange.env.logger.error("the session could not be saved: " + info.message,
                                log_fields(info));
    }
  }

  static void abandon_new_id(const Exchange& exchange, SessionState& session) {
    if (!session.abandon_new_id() || !exchange.transaction->has_response()) return;
    exchange.env.logger.warn(
        "the session of " + name_of(*exchange.route) + " (" + source_of(*exchange.route) +
        ") was not saved, because the client got the response of the deadline without its new id");
  }

  void write_cookie(Exchange& exchange, SessionState& session) const {
    const auto change = session.take_cookie_change();
    if (change == SessionState::CookieChange::none) return;
    const SessionConfig& config = policy_.config;
    CookieOptions options = http::configured_cookie(config.name, config.cookie,
                                                    exchange.protocol() == "https", config.ttl);
    if (change == SessionState::CookieChange::cleared) {
      exchange.response.clear_cookie(config.name, std::move(options));
    } else {
      exchange.response.set_cookie(config.name, session.get().id(), std::move(options));
    }
  }

  SessionPolicy policy_;
};

}  // namespace

Stages session_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  const auto policy = session_policy(context.env, *context.route);
  if (!policy) return {};
  return one_stage<SessionStage>(*policy);
}

}  // namespace fw::detail
