#include "features/session/session_policy.hpp"

namespace fw::detail {

std::optional<SessionPolicy> session_policy(const Environment& env, const Route& route) {
  const SessionConfig& config = env.config.session;
  const SessionSwitch& option = route.options.session;
  if (!option.enabled().value_or(config.enabled)) return std::nullopt;
  return SessionPolicy{.store = *env.stores.of("session"),
                       .config = config,
                       .rolling = option.options().rolling.value_or(config.rolling),
                       .auto_commit = option.options().auto_commit.value_or(config.auto_commit)};
}

}  // namespace fw::detail
