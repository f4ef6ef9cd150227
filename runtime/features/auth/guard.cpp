// The route guard, `auth` of RouteOptions (docs/authentication.md).
#include "features/auth/guard.hpp"

#include <algorithm>
#include <utility>

#include "chain/stages.hpp"
#include "features/auth/auth_errors.hpp"

namespace fw::detail {
namespace {

bool needs_identity(const AuthRequirement& requirement) {
  return requirement.required || !requirement.roles.empty() || !requirement.scopes.empty() ||
         !requirement.permissions.empty() || requirement.check;
}

class Guard : public Stage {
 public:
  explicit Guard(const AuthRequirement& requirement)
      : requirement_(requirement),
        all_(requirement.mode.str() == "all"),
        identity_needed_(needs_identity(requirement)) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    AuthContext& identity = exchange.auth();
    if (identity.error) raise_auth(*identity.error);
    if (!identity.is_authenticated && identity_needed_) raise_auth(kAuthRequired);
    if (!satisfies(requirement_.roles, identity.roles) ||
        !satisfies(requirement_.scopes, identity.scopes) || !is_permitted(exchange, identity) ||
        !passes_check(exchange, identity)) {
      raise_auth(kAuthForbidden);
    }
    next(exchange);
  }

 private:
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

}  // namespace

bool may_authenticate(const StageContext& context) {
  const Hooks& hooks = context.env.hooks;
  return !context.global_middlewares.empty() || !context.route->options.middlewares.empty() ||
         hooks.any<hooks::RequestStart>() || hooks.any<hooks::RouteMatched>();
}

Stages guard_stage(const StageContext& context) {
  if (context.route == nullptr || !context.route->options.auth.enabled()) return {};
  const AuthRequirement& requirement = context.route->options.auth.requirement();
  const std::string& mode = requirement.mode.str();
  if (mode != "any" && mode != "all") {
    context.error("auth.mode must be 'any' or 'all', not '" + mode + "'");
  }
  if (needs_identity(requirement) && !may_authenticate(context)) {
    context.env.logger.warn(source_of(*context.route) + ": " + name_of(*context.route) +
                            " declares auth, but no middleware can authenticate requests, so "
                            "every request gets a 401; add one with app.use(fw::auth(...))");
  }
  return one_stage<Guard>(requirement);
}

}  // namespace fw::detail
