// The source of a streamed response whose bytes arrive from elsewhere: a thread need not wait for
// them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "http/adapter.hpp"

namespace fw::detail {

/// Either `read` is called until the end, or `watch` once and then `try_read`. Used by one thread
/// at a time, except where another rule is given. Both throw the errors of the source, and return 0
/// at the end. `ReadableSource` makes a Readable of it.
class ArrivingSource {
 public:
  virtual ~ArrivingSource() = default;

  /// Waits for the next bytes.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// Returns nothing if nothing has arrived; the waker is called when it is worth trying again.
  virtual std::optional<std::size_t> try_read(std::span<char> buffer) = 0;

  /// Called before the first `try_read`. `buffers` counts what has arrived; null: nothing counts
  /// it.
  virtual void watch(std::weak_ptr<http::BodyWaker> waker,
                     std::shared_ptr<http::BufferBudget> buffers) = 0;
  /// The bytes that are counted. Thread-safe.
  virtual std::size_t counted() const noexcept = 0;
  /// Frees these bytes and ends what they come from; does not call the waker. Nothing is read
  /// afterwards.
  virtual void discard() noexcept = 0;
};

}  // namespace fw::detail
