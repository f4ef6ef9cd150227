// The listeners of an adapter, from which it accepts clients.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "http/epoll/poller.hpp"
#include "http/listener.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// One thread accepts at a time. If there are no descriptors or no memory, clients wait in the
/// backlog until `sweep`. Thread-safe, except for `watch`.
class Acceptor {
 public:
  /// Called for each client, under the lock of the acceptor. If it throws, the client is
  /// disconnected.
  using Admit = std::function<void(AcceptedSocket)>;
  /// Called with the error, as in `errno`, if a client could not be accepted. Must not throw.
  using Failed = std::function<void(int error)>;

  /// `listeners` must not be empty. The first one is watched, the others belong to sibling
  /// processes.
  Acceptor(Poller& poller, std::vector<Listener> listeners, Admit admit, Failed failed)
      : poller_(poller),
        admit_(std::move(admit)),
        failed_(std::move(failed)),
        listeners_(std::move(listeners)),
        port_(listeners_.front().port()) {}

  std::uint16_t port() const { return port_; }
  /// Lets the poller report waiting clients from now on. Must be called before other threads use
  /// the object.
  void watch() { poller_.watch_listener(listeners_.front().socket().get()); }
  bool has_siblings();
  /// Lets the poller report waiting clients again, here or to a sibling process.
  void rearm();
  /// Accepts clients that the poller has reported.
  void accept_waiting();
  /// Tries again what has failed, and accepts clients of sibling processes that are being restarted
  /// or have no free thread.
  void sweep();
  /// Accepts all connections that the kernel has completed or is about to complete, and closes the
  /// listeners.
  void finish();

 private:
  /// Accepts up to `most` connections; the caller holds the lock.
  void accept_from(const Listener& listener, int most);

  Poller& poller_;
  const Admit admit_;
  const Failed failed_;
  std::mutex mutex_;
  std::vector<Listener> listeners_;  ///< empty after they are closed
  std::atomic<bool> has_failed_{false};
  const std::uint16_t port_;
};

}  // namespace fw::http
