// All open connections of an adapter, by id.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/short_mutex.hpp"
#include "http/epoll/connection.hpp"

namespace fw::http {

/// Events refer to connections by id instead of by pointer, because they may arrive after the
/// connection was closed. Split into parts with separate locks. Thread-safe.
class ConnectionTable {
 public:
  void insert(std::shared_ptr<Connection> connection) {
    auto& part = part_of(connection->id());
    const std::lock_guard lock(part.mutex);
    part.connections.emplace(connection->id(), std::move(connection));
    size_.fetch_add(1);
  }

  std::shared_ptr<Connection> find(std::uint64_t id) {
    auto& part = part_of(id);
    const std::lock_guard lock(part.mutex);
    const auto found = part.connections.find(id);
    return found == part.connections.end() ? nullptr : found->second;
  }

  void erase(std::uint64_t id) {
    auto& part = part_of(id);
    const std::lock_guard lock(part.mutex);
    size_.fetch_sub(part.connections.erase(id));
  }

  std::vector<std::shared_ptr<Connection>> all() {
    std::vector<std::shared_ptr<Connection>> result;
    for_each([&](const auto& connection) { result.push_back(connection); });
    return result;
  }

  /// Calls `visit` under a lock: it must neither wait nor use the table.
  template <class Visit>
  void for_each(Visit visit) {
    for (auto& part : parts_) {
      const std::lock_guard lock(part.mutex);
      for (const auto& [id, connection] : part.connections) visit(connection);
    }
  }

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Part {
    base::ShortMutex mutex;
    std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections;
  };

  Part& part_of(std::uint64_t id) { return parts_[id % parts_.size()]; }

  std::array<Part, 16> parts_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace fw::http
