// Reads from a store without a thread that waits.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fw::store {

/// Implemented by stores for which a thread would have to wait. Thread-safe.
class AsyncReader {
 public:
  struct Result {
    std::optional<std::string> value;  ///< as returned by `Store::get`
    std::string error = {};            ///< of the StoreError that `get` would throw; empty: none
  };

  class Receiver {
   public:
    virtual ~Receiver() = default;
    /// Called once, on any thread, which must not be delayed.
    virtual void receive(Result result) noexcept = 0;
  };

  virtual ~AsyncReader() = default;

  /// Returns false if nothing is gained, or if the store cannot begin at once; the receiver is then
  /// not called. Otherwise it is called within the time that `Store::get` may take, possibly before
  /// this function returns.
  virtual bool begin_get(std::string_view key, std::shared_ptr<Receiver> receiver) = 0;
  /// The same for `Store::get_and_renew`.
  virtual bool begin_get_and_renew(std::string_view key, std::chrono::milliseconds ttl,
                                   std::shared_ptr<Receiver> receiver) = 0;
};

}  // namespace fw::store
