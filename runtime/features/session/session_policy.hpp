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
std::optional<SessionPolicy> session_policy(const Environment& env, const Route& route);

}  // namespace fw::detail
