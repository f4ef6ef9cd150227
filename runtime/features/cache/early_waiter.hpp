// Lets a request wait for the response to another one before it is handled, so that no thread
// waits.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline_timer.hpp"
#include "base/keyed_hash.hpp"
#include "base/string_pool.hpp"
#include "exchange/environment.hpp"
#include "exchange/route.hpp"
#include "features/cache/shared_runs.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

/// Decides for a route which requests wait early: those for whose key a run has begun. Their heads
/// must determine the key, so that no request waits for the run of another key while there is a
/// stored response for it. Thread-safe.
class EarlyWaiter {
 public:
  /// Null for a route whose requests do not wait for each other, or whose keys are made by
  /// functions of the application, and so are unknown before a request is handled.
  static std::shared_ptr<EarlyWaiter> create(const Environment& env, const Route& route,
                                             std::shared_ptr<SharedRuns> runs);

  EarlyWaiter(const Environment& env, const Route& route, std::shared_ptr<SharedRuns> runs);

  /// Requests with the same digest have the same key. Empty for a request that does not wait.
  std::optional<std::uint64_t> head_digest(const http::RequestHead& head) const;
  /// The head of this request has not determined its key, or whether it is cached: middlewares
  /// decide that. For ten minutes, no request waits early; if this one has cookies or
  /// Authorization, which may name a user, only those that have them, too.
  void pause(const http::RequestHead& head);

  /// Lets a request wait, which is resumed at the end. Null if it does not. Through a pointer,
  /// because all programs plan requests, and only those with cached routes contain what follows.
  std::shared_ptr<EarlyWait> begin(const http::RequestHead& head,
                                   const std::shared_ptr<http::WaitingRequest>& request) const {
    return begin_(*this, head, request);
  }

 private:
  static std::shared_ptr<EarlyWait> park(const EarlyWaiter& waiter, const http::RequestHead& head,
                                         const std::shared_ptr<http::WaitingRequest>& request);
  bool uses_https(const http::RequestHead& head) const;
  bool is_paused(const http::RequestHead& head) const;

  decltype(park)* const begin_ = park;
  const Environment& env_;
  const std::string path_;                                     ///< of the route
  const std::shared_ptr<base::StringPool> credential_fields_;  ///< of the route
  const std::shared_ptr<SharedRuns> runs_;
  const std::shared_ptr<base::DeadlineTimer> timer_;
  std::chrono::milliseconds max_wait_;
  bool is_page_ = false;
  /// When the pauses end; 0: there was none. The first is for requests that name no user, the
  /// second for those that may.
  std::array<std::atomic<SharedRuns::Clock::rep>, 2> paused_until_{};
  std::optional<std::vector<std::string>> query_;  ///< declared parameters; empty: all
  std::vector<std::string> fields_;                ///< that are part of the key, in lower case
  bool skips_cookies_ = false;                     ///< requests with cookies are not cached
  bool skips_authorization_ = false;               ///< likewise
  base::KeyedHash hash_;
};

}  // namespace fw::detail
