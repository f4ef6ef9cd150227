// What the framework measures of requests (docs/metrics.md): numbers in arrays, of which threads
// have their own, indexed by route and status.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/traceparent.hpp"
#include "observe/counter_memory.hpp"
#include "observe/exposition.hpp"
#include "observe/request_cells.hpp"
#include "observe/thread_number.hpp"

namespace fw::detail {

/// The label of a status: "404", or "4xx" if it is not in IANA's registry, so that there are few.
std::string status_label(int status);

/// Why a request was rejected before its handler ran.
enum class Rejection : std::uint8_t {
  none,
  rate_limit,
  unauthenticated,
  forbidden,
  validation,
  body_size,
  malformed,  ///< no request that the server accepts: its head, its length, its version
  slow,       ///< it did not arrive in time
  overload,   ///< no thread, connection or memory is free
};
inline constexpr std::size_t kRejections = 9;
static_assert(request_cells::kFirstRejection + kRejections <= request_cells::kSlotsInUse);

/// What the response cache did for a request of a route with `cache`.
enum class MeasuredCache : std::uint8_t { none, hit, miss, stale };

/// The functions that count do not allocate, lock or throw. Thread-safe.
class RequestMetrics {
 public:
  struct Route {
    std::string method;
    std::string path;  ///< "/users/:id"
  };
  static constexpr std::size_t kNoRoute = static_cast<std::size_t>(-1);

  struct Response {
    std::size_t route = kNoRoute;  ///< the index of the route
    std::string_view method;       ///< of the request
    int status = 500;
    Rejection rejection = Rejection::none;
    MeasuredCache cache = MeasuredCache::none;
    std::chrono::milliseconds queued{0};   ///< before it was handled, for a thread
    std::uint64_t request_bytes = 0;       ///< of the body of the request
    std::uint64_t response_bytes = 0;      ///< of the body, unless `count_sent` is called for it
    const base::TraceId* trace = nullptr;  ///< of a request whose trace is sent; null: none
  };

  /// With exemplars, a request is kept for each bucket of a duration, if its trace is sent. Throws
  /// std::bad_alloc.
  explicit RequestMetrics(std::vector<Route> routes, bool has_exemplars = false);

  /// The counters of some threads.
  using Part = std::uint64_t*;

  /// Counts a request that begins. Its `end` needs the result.
  Part begin() noexcept {
    const Part part = own_part();
    request_cells::add(part[request_cells::kBegun], 1);
    return part;
  }
  void end(Part part, const Response& response, std::chrono::nanoseconds duration) noexcept;
  /// Whether a response with this status may have a body, and rejects nothing.
  static bool is_usual(int status) noexcept {
    return request_cells::slot_of(status) < request_cells::kUsualStatuses;
  }
  /// The same as `end` for a response with such a status of a route, if only its duration and bytes
  /// are counted, and the request is not for HEAD or OPTIONS. In the header, because a call with
  /// this many values would cost as much again.
  void end_usual(Part part, std::size_t route, int status, std::chrono::nanoseconds duration,
                 std::uint64_t request_bytes, std::uint64_t response_bytes) noexcept {
    count_duration(part, request_cells::slot_of(status), route, duration);
    count_bytes(part, route, request_bytes, response_bytes);
  }
  /// Counts bytes of a body that is sent in parts, also after `end`.
  void count_sent(std::size_t route, std::string_view method, std::uint64_t bytes) noexcept;
  /// Counts a request that the engine has rejected with this status.
  void count_engine_error(int status) noexcept;

  void write(Exposition& text) const;

 private:
  struct Row;
  std::size_t row_of(std::size_t route, std::string_view method) const noexcept;
  Row labels_of(std::size_t row) const;
  void count_duration(Part part, std::size_t slot, std::size_t row,
                      std::chrono::nanoseconds duration) noexcept {
    namespace cells = request_cells;
    std::uint64_t* const cell = part + layout_.cell(slot, row);
    const auto nanoseconds = static_cast<std::uint64_t>(duration.count());
    if (cells::add(cell[cells::kFirstBucket + cells::bucket_of(nanoseconds)], 1) == 0) {
      std::atomic_ref(part[cells::kSlotsInUse]).fetch_or(std::uint64_t{1} << slot);
    }
    cells::add(cell[cells::kSum], nanoseconds);
  }
  void count_bytes(Part part, std::size_t row, std::uint64_t of_request,
                   std::uint64_t of_response) noexcept {
    std::uint64_t* const bytes = part + layout_.first_bytes + row * request_cells::kBytesWords;
    if (of_request > 0) request_cells::add(bytes[0], of_request);
    if (of_response > 0) request_cells::add(bytes[1], of_response);
  }
  static void count_wait(Part part, std::chrono::nanoseconds wait) noexcept;
  void keep_exemplar(std::size_t slot, std::size_t row, const base::TraceId& trace,
                     std::uint64_t nanoseconds) noexcept;
  std::vector<std::optional<Exemplar>> exemplars_of(std::size_t slot, std::size_t row) const;
  void write_bytes(Exposition& text) const;
  /// More threads than parts share them, so that words are changed atomically.
  Part own_part() const noexcept {
    return words_.words() + (thread_number() & (parts_ - 1)) * layout_.words;
  }
  std::uint64_t sum(std::size_t word) const;

  const std::vector<Route> routes_;
  const std::size_t parts_;             ///< a power of two
  const request_cells::Layout layout_;  ///< of each part
  const CounterMemory words_;
  const std::unique_ptr<const CounterMemory> exemplars_;  ///< null: there are none
  /// Guards the words of `exemplars_`.
  mutable std::mutex exemplars_mutex_;
};

}  // namespace fw::detail
