// What a Readable reads, where that can be sent in another way than by reading it.
#pragma once

#include <fairway/readable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "http/adapter.hpp"
#include "http/file_part.hpp"

namespace fw::detail {

/// The source of a streamed response whose bytes arrive from elsewhere: a thread need not wait for
/// them. Either `read` is called until the end, or `watch` once and then `try_read`. Used by one
/// thread at a time, except where another rule is given. Both throw the errors of the source, and
/// return 0 at the end. `ReadableSource` makes a Readable of it.
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

struct ReadableSource {
  /// A part of a regular file.
  static Readable make(http::FilePart part);
  /// `size` is the number of bytes, if it is known.
  static Readable make(std::shared_ptr<ArrivingSource> source, std::optional<std::uint64_t> size);
  /// Null for another source.
  static const http::FilePart* file_of(const Readable& source);
  /// Null for another source than a string.
  static const std::string* text_of(const Readable& source);
  /// Null for another source.
  static std::shared_ptr<ArrivingSource> arriving_of(const Readable& source);
};

}  // namespace fw::detail
