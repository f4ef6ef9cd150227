// What becomes of an event that is published to many streams and sockets: it is formatted once for
// each route, and the queues of all clients share the bytes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fw::detail {

using SharedBytes = std::shared_ptr<const std::string>;

/// Of one event. Not thread-safe.
class PublishedBytes {
 public:
  /// The bytes for clients of a route. `declared` is the event or message of the route, and
  /// `window_bits` the window of the client's compression, or 0. Null if they have not been added.
  SharedBytes find(const void* declared, int window_bits) const {
    for (const Entry& entry : entries_) {
      if (entry.declared == declared && entry.window_bits == window_bits) return entry.bytes;
    }
    return nullptr;
  }
  SharedBytes add(const void* declared, int window_bits, std::string bytes) {
    auto shared = std::make_shared<const std::string>(std::move(bytes));
    entries_.push_back({declared, window_bits, shared});
    return shared;
  }

 private:
  struct Entry {
    const void* declared;
    int window_bits;
    SharedBytes bytes;
  };

  std::vector<Entry> entries_;  ///< few: a topic has the clients of a few routes
};

}  // namespace fw::detail
