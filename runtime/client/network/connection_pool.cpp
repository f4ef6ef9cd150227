#include "client/network/connection_pool.hpp"

#include <algorithm>
#include <iterator>

namespace fw::outbound {
namespace {

constexpr std::size_t kMostIdle = 256;

}  // namespace

/// Takes the idle connection that was used last, because it is the least likely to have been closed
/// by the server.
std::unique_ptr<Connection> ConnectionPool::take_idle(const std::string& origin) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Idle& idle) {
    return idle.connection->origin() == origin;
  });
  if (found == idle_.rend()) return nullptr;
  auto connection = std::move(found->connection);
  idle_.erase(std::next(found).base());
  return connection;
}

void ConnectionPool::add(Connection& connection) {
  const std::lock_guard lock(mutex_);
  open_.insert(&connection);
}

void ConnectionPool::put(std::unique_ptr<Connection> connection, bool is_reusable) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Idle> closed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  if (is_reusable && !is_stopped_) {
    idle_.push_back({std::move(connection), now});
  } else {
    open_.erase(connection.get());
    closed.push_back({std::move(connection), now});
  }
  auto kept = std::find_if(idle_.begin(), idle_.end(),
                           [&](const Idle& idle) { return now - idle.since <= kLongestIdle; });
  if (idle_.size() > kMostIdle) kept = std::max(kept, idle_.end() - kMostIdle);
  for (auto idle = idle_.begin(); idle != kept; ++idle) {
    open_.erase(idle->connection.get());
    closed.push_back(std::move(*idle));
  }
  idle_.erase(idle_.begin(), kept);
}

void ConnectionPool::stop() {
  is_stopped_ = true;
  std::vector<Idle> closed;
  const std::lock_guard lock(mutex_);
  closed.swap(idle_);
  for (const Idle& idle : closed) open_.erase(idle.connection.get());
  for (Connection* const connection : open_) connection->wake();
}

}  // namespace fw::outbound
