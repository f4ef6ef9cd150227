// What scenarios share.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "application.hpp"

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

/// Waits for something that another thread does; false after ten seconds.
inline bool eventually(const auto& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace pairs
