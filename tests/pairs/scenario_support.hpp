// What scenarios share.
#pragma once

#include <algorithm>

#include "application.hpp"
#include "eventually.hpp"

namespace pairs {

/// A client whose responses the application may store.
inline Client reader(const Blueprint& blueprint) {
  Client client{.name = "reader"};
  if (blueprint.requires_user || (blueprint.cache && blueprint.cache->partition_key)) {
    client.user = 0;
    client.has_token = true;
  }
  return client;
}

/// One who passes every guard.
inline Client known_user() {
  return {.name = "user", .user = 0, .has_token = true, .has_cookies = true};
}

inline bool has_kind(const Application& app, Kind kind) {
  return std::ranges::find(app.blueprint().kinds, kind) != app.blueprint().kinds.end();
}

using fairway::test::eventually;

}  // namespace pairs
