// The connections of an application, and those among them that are idle.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "client/url.hpp"

namespace fw::outbound {

/// Maximum idle time of a connection that is reused. Servers close idle connections after five
/// seconds or more.
constexpr std::chrono::seconds kLongestIdle{4};

/// A connection to an origin. Serves one transfer at a time. Used by one thread at a time, except
/// `wake`.
class Connection {
 public:
  explicit Connection(std::string origin) : origin_(std::move(origin)) {}
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::string& origin() const { return origin_; }
  /// Whether an idle connection is still open, and received nothing while it was idle.
  virtual bool can_be_reused() = 0;
  /// Ends the current wait of its transfer, or the next one. Thread-safe.
  virtual void wake() = 0;

 private:
  const std::string origin_;
};

/// Thread-safe.
class ConnectionPool {
 public:
  /// Returns an idle connection to the origin of `url`, or a new one, made of the arguments. The
  /// connections to an origin must all be of that kind.
  template <class Kind>
  std::unique_ptr<Kind> take(const Url& url, auto&... others) {
    while (auto idle = take_idle(url.origin)) {
      if (idle->can_be_reused()) {
        return std::unique_ptr<Kind>(static_cast<Kind*>(idle.release()));
      }
      put(std::move(idle), false);
    }
    auto connection = std::make_unique<Kind>(url, others...);
    add(*connection);
    return connection;
  }
  /// Ends the use of a connection, and keeps it for later transfers if it can be reused.
  void put(std::unique_ptr<Connection> connection, bool is_reusable);

  bool is_stopped() const { return is_stopped_; }
  /// Closes the idle connections, and wakes the others.
  void stop();

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::steady_clock::time_point since;
  };

  std::unique_ptr<Connection> take_idle(const std::string& origin);
  void add(Connection& connection);

  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;                      // guards the following members
  std::vector<Idle> idle_;                ///< the longest idle first
  std::unordered_set<Connection*> open_;  ///< in use or idle
};

}  // namespace fw::outbound
