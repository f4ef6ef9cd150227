// The route guard, `auth` of RouteOptions (docs/auth.md), and the stages that tell the log and
// outbound calls who the caller is.
#include "features/auth/guard_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "chain/stages.hpp"
#include "features/auth/auth_errors.hpp"
#include "observe/active_span.hpp"

namespace fw::detail {
namespace {

class Guard : public Stage {
 public:
  explicit Guard(const AuthRequirement& requirement)
      : requirement_(requirement),
        all_(requirement.mode.str() == "all"),
        identity_needed_(needs_of(requirement).identity()) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    admit(exchange);
    next(exchange);
  }

 private:
  /// Throws the error response if the identity does not suffice.
  void admit(Exchange& exchange) const {
    const ActiveSpan span("guard");
    const RequestStateScope scope(exchange, RequestState::guard);
    if (requirement_.client_certificate && exchange.head.client_certificate == nullptr) {
      exchange.set_rejection(Rejection::unauthenticated);
      raise_auth(kAuthRequired, "A client certificate is required");
    }
    AuthContext& identity = exchange.identity.get();
    if (identity.error || (!identity.is_authenticated && identity_needed_)) {
      exchange.set_rejection(Rejection::unauthenticated);
      raise_auth(identity.error ? std::string_view(*identity.error) : kAuthRequired);
    }
    if (!satisfies(requirement_.roles, identity.roles) ||
        !satisfies(requirement_.scopes, identity.scopes) || !is_permitted(exchange, identity) ||
        !passes_check(exchange, identity)) {
      exchange.set_rejection(Rejection::forbidden);
      raise_auth(kAuthForbidden);
    }
  }

  template <class Items, class Passes>
  bool group_passes(const Items& items, Passes passes) const {
    if (items.empty()) return true;
    return all_ ? std::all_of(items.begin(), items.end(), passes)
                : std::any_of(items.begin(), items.end(), passes);
  }

  bool satisfies(const TextList& wanted, const std::vector<std::string>& held) const {
    return group_passes(wanted, [&](const Text& item) {
      return std::find(held.begin(), held.end(), item.str()) != held.end();
    });
  }

  bool is_permitted(Exchange& exchange, const AuthContext& identity) const {
    return group_passes(requirement_.permissions, [&](const Permission& permission) {
      return ask_provider([&] {
        return identity.can(permission.action, permission.resource.evaluate(exchange.request),
                            permission.context.evaluate(exchange.request));
      });
    });
  }

  bool passes_check(Exchange& exchange, AuthContext& identity) const {
    if (!requirement_.check) return true;
    return ask_provider([&] { return requirement_.check(exchange.request, identity); });
  }

  const AuthRequirement& requirement_;
  bool all_;
  bool identity_needed_;
};

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

/// Whether there is a middleware or hook before the guard that could set `req.auth()`.
bool may_authenticate(const StageContext& context) {
  const Hooks& hooks = context.env.hooks;
  return !context.global_middlewares.empty() || !context.route->options.middlewares.empty() ||
         hooks.any<hooks::RequestStart>() || hooks.any<hooks::RouteMatched>();
}

}  // namespace

schema::AuthNeeds needs_of(const AuthRequirement& requirement) {
  return {.required = requirement.required,
          .has_groups = !requirement.roles.empty() || !requirement.scopes.empty() ||
                        !requirement.permissions.empty(),
          .has_check = requirement.check != nullptr,
          .client_certificate = requirement.client_certificate};
}

Stages guard_stage(const StageContext& context) {
  if (context.route == nullptr || !context.route->options.auth.enabled()) return {};
  const AuthRequirement& requirement = context.route->options.auth.requirement();
  const std::string& mode = requirement.mode.str();
  if (mode != "any" && mode != "all") {
    context.error("auth.mode must be 'any' or 'all', not '" + mode + "'");
  }
  const auto warn = [&](std::string_view problem) {
    context.env.logger.warn(
        fmt::format("{}: {} {}", source_of(*context.route), name_of(*context.route), problem));
  };
  if (needs_of(requirement).identity() && !may_authenticate(context)) {
    warn(
        "declares auth, but no middleware can authenticate requests, so every request gets a "
        "401; add one with app.use(fw::auth(...))");
  }
  const TlsConfig& tls = context.env.config.server.tls;
  if (requirement.client_certificate && !tls.client_certificates.is_enabled()) {
    warn(
        "requires a client certificate, but the server asks for none, so every request gets a "
        "401; set server.tls.clientCertificates");
  }
  return one_stage<Guard>(requirement);
}

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
