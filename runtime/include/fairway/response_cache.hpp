// The cache of responses, for code that changes the data in them (docs/cache.md).
#pragma once

#include <cstdint>
#include <string_view>

namespace fw {

/// Statistics of the cache of this process since its start.
struct CacheStats {
  std::uint64_t hits = 0;    ///< responses that came from the cache
  std::uint64_t misses = 0;  ///< requests that ran their handler because there was no entry
  std::uint64_t writes = 0;  ///< responses that were stored
  std::uint64_t errors = 0;  ///< failures of the store; such requests run their handler
};

/// `app.cache()`. Thread-safe. Functions that change the cache throw StoreError when the store
/// cannot be reached, and std::logic_error before the application has started. A request that
/// begins after one of them has returned gets no response from before it, in no process that shares
/// the store.
///
///   app.put("/products/:id", [&app](fw::Request& req, fw::Response& res) {
///     …
///     app.cache().invalidate("products");
///   });
class ResponseCache {
 public:
  virtual ~ResponseCache() = default;

  /// Removes the responses with this tag (`.cache = {.tags = {"products"}}`), at a cost that does
  /// not depend on their number.
  virtual void invalidate(std::string_view tag) = 0;
  /// Removes the responses with this key: the `key` of the route's options, or, for routes without
  /// one, method and target: "GET /products?page=2", with the parameters of the option `query` if
  /// the route has it. Covers all hosts, partitions and request headers that the key is combined
  /// with. May remove a few others.
  virtual void erase(std::string_view key) = 0;
  /// Removes all responses.
  virtual void clear() = 0;
  virtual CacheStats stats() const = 0;  ///< counted since the start of this process
};

}  // namespace fw
