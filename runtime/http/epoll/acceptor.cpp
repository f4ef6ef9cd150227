#include "http/epoll/acceptor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

namespace fw::http {
namespace {

/// Number of connections that a worker accepts in one turn.
constexpr int kAcceptAtOnce = 64;
/// Maximum number of connections that are accepted during a stop. Other processes that share the
/// listener accept further ones.
constexpr int kMaxAcceptedAtStop = 8'192;

}  // namespace

bool Acceptor::has_siblings() {
  const std::lock_guard lock(mutex_);
  return listeners_.size() > 1;
}

void Acceptor::rearm() {
  const std::lock_guard lock(mutex_);
  if (listeners_.empty()) return;
  poller_.rearm_listener(listeners_.front().socket().get());
}

void Acceptor::accept_waiting() {
  const std::lock_guard lock(mutex_);
  if (listeners_.empty()) return;
  accept_from(listeners_.front(), kAcceptAtOnce);
  if (!has_failed_.load()) poller_.rearm_listener(listeners_.front().socket().get());
}

void Acceptor::accept_from(const Listener& listener, int most) {
  int error = 0;
  try {
    for (int count = 0; count < most; ++count) {
      auto socket = accept_connection(listener.socket(), error);
      if (!socket) break;
      admit_(std::move(*socket));
    }
  } catch (const std::system_error& failure) {
    error = failure.code().value();
  } catch (const std::exception&) {
    error = ENOMEM;
  }
  if (error == 0) return;
  has_failed_.store(true);
  failed_(error);
}

void Acceptor::sweep() {
  const std::lock_guard lock(mutex_);
  if (listeners_.empty()) return;
  if (has_failed_.exchange(false)) poller_.rearm_listener(listeners_.front().socket().get());
  for (std::size_t i = 1; i < listeners_.size(); ++i) accept_from(listeners_[i], kAcceptAtOnce);
}

void Acceptor::finish() {
  const std::lock_guard lock(mutex_);
  if (listeners_.empty()) return;
  poller_.forget(listeners_.front().socket().get());
  std::chrono::milliseconds handshake_time{0};
  for (Listener& listener : listeners_) {
    handshake_time = std::max(handshake_time, listener.stop_accepting());
  }
  const auto deadline = coarse_now() + handshake_time.count();
  do {
    for (const Listener& listener : listeners_) accept_from(listener, kMaxAcceptedAtStop);
    const std::chrono::milliseconds left(deadline - coarse_now());
    if (left.count() > 0) wait_readable(listeners_.front().socket().get(), left);
  } while (coarse_now() < deadline);
  listeners_.clear();
}

}  // namespace fw::http
