// Bounds the probes of `/readyz` that wait for checks (docs/metrics.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

#include "app/admin_server.hpp"
#include "base/json_text.hpp"

namespace fw::detail {

inline AdminPage readiness_page(int status, std::string_view state, const Json& checks) {
  return {status, kJsonPage, base::to_json_text({{"status", state}, {"checks", checks}})};
}

/// Checks are shared by all probes, but each probe that waits has a connection and a thread. Those
/// whose client has closed its side wait, too: with TCP, one that has left looks like one that has
/// only finished sending. A client that closes and asks again, sooner than a slow check ends,
/// must leave connections of its address, and threads, for the other pages. Thread-safe.
class WaitingProbes {
 public:
  static constexpr std::size_t kMax = 8;
  static_assert(kMax < kMaxAdminConnectionsPerAddress && kMax < kMaxAdminWorkers);
  /// How old the page may be that others than these get.
  static constexpr std::chrono::seconds kMaxAge{60};

  /// The page that `make` returns after it has waited. If as many probes wait already, the last
  /// page, or one that says so if that is too old.
  template <class Make>
  AdminPage page(const Make& make) {
    if (const auto other = begin()) return *other;
    const End end{*this};
    AdminPage made = make();
    const std::lock_guard lock(mutex_);
    last_ = made;
    last_time_ = Clock::now();
    return made;
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct End {
    WaitingProbes& probes;
    ~End() {
      const std::lock_guard lock(probes.mutex_);
      --probes.waiting_;
    }
  };

  /// Nothing if the probe may wait.
  std::optional<AdminPage> begin() {
    const std::lock_guard lock(mutex_);
    if (waiting_ < kMax) {
      ++waiting_;
      return std::nullopt;
    }
    if (last_ && Clock::now() - last_time_ <= kMaxAge) return last_;
    return readiness_page(503, "busy", Json::object());
  }

  std::mutex mutex_;
  std::size_t waiting_ = 0;
  std::optional<AdminPage> last_;
  Clock::time_point last_time_{};
};

}  // namespace fw::detail
