// The session settings of a route: the configuration with the route's option applied.
#pragma once

#include <fairway/config.hpp>
#include <fairway/store.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

#include "exchange/environment.hpp"
#include "exchange/route.hpp"

namespace fw::detail {

struct SessionPolicy {
  Store& store;
  const SessionConfig& config;
  bool rolling;
  bool auto_commit;

  /// How long a session lives without a request that saves or renews it.
  std::chrono::milliseconds ttl() const { return std::chrono::seconds(config.ttl); }
  /// The same for a session that no request has used since the one that created it.
  std::chrono::milliseconds new_ttl() const {
    return std::chrono::seconds(std::min(config.new_ttl, config.ttl));
  }
};

/// Empty for a route without sessions.
inline std::optional<SessionPolicy> session_policy(const Environment& env, const Route& route) {
  const SessionConfig& config = env.config.session;
  const SessionSwitch& option = route.options.session;
  if (!option.enabled().value_or(config.enabled)) return std::nullopt;
  return SessionPolicy{.store = *env.stores.of("session"),
                       .config = config,
                       .rolling = option.options().rolling.value_or(config.rolling),
                       .auto_commit = option.options().auto_commit.value_or(config.auto_commit)};
}

}  // namespace fw::detail
