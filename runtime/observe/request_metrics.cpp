#include "observe/request_metrics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "base/methods.hpp"
#include "observe/thread_number.hpp"

namespace fw::detail {
namespace {

// The words of a part: the requests that have begun, the rejections, the
// cell of waits for a thread, the cache's outcomes of each route, the bytes of the bodies of each
// row, and for each status the cells of all rows: a row is a route or a method without one. Cells
// with the same status are neighbours, because most routes have the same few statuses, so that few
// pages are used. A cell is a sum in nanoseconds and a histogram; the sum and the first buckets
// share a line.

constexpr const auto& kBounds = kDurationBounds;
/// The same in nanoseconds.
constexpr auto kNanoseconds = [] {
  std::array<std::uint64_t, kBounds.size()> bounds{};
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = static_cast<std::uint64_t>(kBounds[i] * 1e9 + 0.5);
  }
  return bounds;
}();
constexpr std::size_t kBuckets = kBounds.size() + 1;
constexpr std::size_t kSum = 0;
constexpr std::size_t kFirstBucket = 1;
constexpr std::size_t kCellWords = kFirstBucket + kBuckets;

/// The statuses that have a series: IANA's registry. Others share the series of
/// their class.
constexpr std::array kStatuses = {200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400,
                                  401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 500, 502,
                                  503, 504, 101, 203, 205, 207, 208, 226, 300, 305, 402, 406,
                                  407, 408, 410, 411, 414, 416, 417, 418, 421, 423, 424, 425,
                                  426, 428, 431, 451, 501, 505, 506, 507, 508, 510, 511};
constexpr std::size_t kClasses = 5;  ///< 1xx to 5xx
constexpr std::size_t kSlots = kStatuses.size() + kClasses;
constexpr int kMinStatus = 100;
constexpr int kMaxStatus = 599;

constexpr auto kSlotOfStatus = [] {
  std::array<std::uint8_t, kMaxStatus - kMinStatus + 1> slots{};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i] = static_cast<std::uint8_t>(kStatuses.size() + i / 100);
  }
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    slots[static_cast<std::size_t>(kStatuses[i] - kMinStatus)] = static_cast<std::uint8_t>(i);
  }
  return slots;
}();

std::size_t slot_of(int status) {
  const auto index = static_cast<std::size_t>(status) - kMinStatus;  // large if it is below
  if (index < kSlotOfStatus.size()) return kSlotOfStatus[index];
  return kSlotOfStatus[status < kMinStatus ? 0 : kSlotOfStatus.size() - 1];
}

std::string name_of_slot(std::size_t slot) {
  if (slot < kStatuses.size()) return std::to_string(kStatuses[slot]);
  return std::to_string(slot - kStatuses.size() + 1) + "xx";
}

constexpr std::size_t kBegun = 0;
constexpr std::size_t kFirstRejection = 1;
/// A bit for each status that was counted, so that a scrape reads little
/// memory.
constexpr std::size_t kSlotsInUse = 15;
/// Of requests that waited. Requests in the first bucket, as most are, are not counted.
constexpr std::size_t kQueueCell = 16;
constexpr std::size_t kFirstCache = kQueueCell + kCellWords;
constexpr std::size_t kCacheWords = 4;
static_assert(kFirstRejection + kRejections <= kSlotsInUse && kSlots <= 64);

/// Requests without a route: a row for each method, and one for others.
constexpr std::size_t kUnmatchedRows = base::kMethods.size() + 1;
/// A route with GET has HEAD, too.
constexpr std::size_t kRowsOfRoute = 2;

constexpr std::array<std::string_view, kRejections> kCauses = {
    "",          "rate_limit", "unauthenticated", "forbidden", "validation", "body_size",
    "malformed", "slow",       "overload"};
constexpr std::array<std::string_view, kCacheWords> kOutcomes = {"", "hit", "miss", "stale"};

/// Of a row: the bytes of bodies of its requests and responses.
constexpr std::size_t kBytesWords = 2;

/// Of each bucket of a cell: the trace (two words), the duration in nanoseconds and the time in
/// milliseconds since 1970, which is 0 if there is none.
constexpr std::size_t kExemplarWords = 4;

constexpr std::size_t kMaxParts = 32;
static_assert(kCellWords * sizeof(std::uint64_t) == 128, "two cache lines");

constexpr std::size_t rows_of(std::size_t routes) { return routes * kRowsOfRoute + kUnmatchedRows; }

constexpr std::size_t first_bytes(std::size_t routes) { return kFirstCache + routes * kCacheWords; }

constexpr std::size_t first_cell(std::size_t routes) {
  const std::size_t words = first_bytes(routes) + rows_of(routes) * kBytesWords;
  return (words + kCellWords - 1) / kCellWords * kCellWords;
}

constexpr std::size_t words_of_exemplars(std::size_t routes) {
  return kSlots * rows_of(routes) * kBuckets * kExemplarWords;
}

constexpr std::size_t words_of_part(std::size_t routes) {
  return first_cell(routes) + kSlots * rows_of(routes) * kCellWords;
}

/// Returns what it was before.
std::uint64_t add(std::uint64_t& word, std::uint64_t number) {
  return std::atomic_ref(word).fetch_add(number, std::memory_order_relaxed);
}

std::size_t bucket_of(std::uint64_t nanoseconds) {
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && nanoseconds > kNanoseconds[bucket]) ++bucket;
  return bucket;
}

void count_wait(std::uint64_t* cell, std::chrono::nanoseconds wait) {
  const auto nanoseconds = static_cast<std::uint64_t>(wait.count());
  add(cell[kSum], nanoseconds);
  if (const std::size_t bucket = bucket_of(nanoseconds)) add(cell[kFirstBucket + bucket], 1);
}

double seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

}  // namespace

std::string status_label(int status) { return name_of_slot(slot_of(status)); }

RequestMetrics::RequestMetrics(std::vector<Route> routes, bool has_exemplars)
    : routes_(std::move(routes)),
      parts_(std::min(kMaxParts, std::bit_ceil(std::size_t{2} *
                                               std::max(1U, std::thread::hardware_concurrency())))),
      part_words_(words_of_part(routes_.size())),
      words_(parts_ * part_words_),
      exemplars_(has_exemplars
                     ? std::make_unique<const CounterMemory>(words_of_exemplars(routes_.size()))
                     : nullptr) {}

/// More threads than parts share them, so that words are changed atomically.
RequestMetrics::Part RequestMetrics::own_part() const noexcept {
  return words_.words() + (thread_number() & (parts_ - 1)) * part_words_;
}

/// The labels of a row. Without a route, the path is empty.
struct RequestMetrics::Row {
  std::string method;
  std::string path;
};

RequestMetrics::Row RequestMetrics::labels_of(std::size_t row) const {
  const std::size_t routes = routes_.size();
  if (row < routes) return {routes_[row].method, routes_[row].path};
  if (row < routes * kRowsOfRoute) return {"HEAD", routes_[row - routes].path};
  const std::size_t method = row - routes * kRowsOfRoute;
  return {method < base::kMethods.size() ? std::string(base::kMethods[method]) : "_OTHER", ""};
}

std::size_t RequestMetrics::row_of(std::size_t route, std::string_view method) const noexcept {
  if (route != kNoRoute) {
    const bool is_head = method.front() == 'H';
    // A preflight has the route whose settings it asks for.
    const bool is_preflight = method.front() == 'O' && routes_[route].method != method;
    if (!is_preflight) return route + (is_head ? routes_.size() : 0);
  }
  const auto* const found = std::find(base::kMethods.begin(), base::kMethods.end(), method);
  return routes_.size() * kRowsOfRoute + static_cast<std::size_t>(found - base::kMethods.begin());
}

std::size_t RequestMetrics::first_word(std::size_t slot, std::size_t row) const noexcept {
  return first_cell(routes_.size()) + (slot * rows_of(routes_.size()) + row) * kCellWords;
}

RequestMetrics::Part RequestMetrics::begin() noexcept {
  const Part part = own_part();
  add(part[kBegun], 1);
  return part;
}

void RequestMetrics::end(Part part, const Response& response,
                         std::chrono::nanoseconds duration) noexcept {
  const std::size_t slot = slot_of(response.status);
  const char initial = response.method.front();
  const bool is_usual = response.route != kNoRoute && initial != 'H' && initial != 'O';
  const std::size_t row = is_usual ? response.route : row_of(response.route, response.method);
  std::uint64_t* const cell = part + first_word(slot, row);
  const auto nanoseconds = static_cast<std::uint64_t>(duration.count());
  if (add(cell[kFirstBucket + bucket_of(nanoseconds)], 1) == 0) {
    std::atomic_ref(part[kSlotsInUse]).fetch_or(std::uint64_t{1} << slot);
  }
  add(cell[kSum], nanoseconds);
  if (response.queued.count() > 0) count_wait(part + kQueueCell, response.queued);
  if (response.rejection != Rejection::none) {
    add(part[kFirstRejection + static_cast<std::size_t>(response.rejection)], 1);
  }
  if (response.cache != MeasuredCache::none && response.route != kNoRoute) {
    add(part[kFirstCache + response.route * kCacheWords + static_cast<std::size_t>(response.cache)],
        1);
  }
  std::uint64_t* const bytes = part + first_bytes(routes_.size()) + row * kBytesWords;
  if (response.request_bytes > 0) add(bytes[0], response.request_bytes);
  if (response.response_bytes > 0) add(bytes[1], response.response_bytes);
  if (response.trace != nullptr && exemplars_)
    keep_exemplar(slot, row, *response.trace, nanoseconds);
}

void RequestMetrics::count_sent(std::size_t route, std::string_view method,
                                std::uint64_t bytes) noexcept {
  const std::size_t row = row_of(route, method);
  add(own_part()[first_bytes(routes_.size()) + row * kBytesWords + 1], bytes);
}

void RequestMetrics::keep_exemplar(std::size_t slot, std::size_t row, const base::TraceId& trace,
                                   std::uint64_t nanoseconds) noexcept {
  // Any of several requests will do, so that none waits for another, or for a scrape.
  const std::unique_lock lock(exemplars_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const std::size_t cell = slot * rows_of(routes_.size()) + row;
  std::uint64_t* const words =
      exemplars_->words() + (cell * kBuckets + bucket_of(nanoseconds)) * kExemplarWords;
  static_assert(sizeof trace.bytes == 2 * sizeof(std::uint64_t));
  std::memcpy(words, trace.bytes.data(), sizeof trace.bytes);
  words[2] = nanoseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  words[3] = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::vector<std::optional<Exemplar>> RequestMetrics::exemplars_of(std::size_t slot,
                                                                  std::size_t row) const {
  std::vector<std::optional<Exemplar>> exemplars;
  if (!exemplars_) return exemplars;
  exemplars.resize(kBuckets);
  const std::lock_guard lock(exemplars_mutex_);
  const std::size_t cell = slot * rows_of(routes_.size()) + row;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const std::uint64_t* const words = exemplars_->words() + (cell * kBuckets + i) * kExemplarWords;
    if (words[3] == 0) continue;
    base::TraceId trace;
    std::memcpy(trace.bytes.data(), words, sizeof trace.bytes);
    std::array<char, 32> digits;
    base::write_hex(trace, digits);
    exemplars[i] = Exemplar{std::string(digits.data(), digits.size()), seconds(words[2]),
                            static_cast<double>(words[3]) / 1e3};
  }
  return exemplars;
}

void RequestMetrics::count_engine_error(int status) noexcept {
  Rejection cause = Rejection::malformed;
  if (status == 503) cause = Rejection::overload;
  if (status == 408) cause = Rejection::slow;
  if (status == 500) return;  // a handler has failed, and is counted
  add(own_part()[kFirstRejection + static_cast<std::size_t>(cause)], 1);
}

std::uint64_t RequestMetrics::sum(std::size_t word) const {
  std::uint64_t total = 0;
  for (std::size_t part = 0; part < parts_; ++part) {
    total +=
        std::atomic_ref(words_.words()[part * part_words_ + word]).load(std::memory_order_relaxed);
  }
  return total;
}

void RequestMetrics::write(Exposition& text) const {
  struct Cell {
    std::array<std::uint64_t, kBuckets> counts{};
    std::uint64_t sum = 0;
    std::vector<std::optional<Exemplar>> exemplars = {};
  };
  // Rows may have the same labels: HEAD of a route for GET, and a route for
  // HEAD.
  std::map<std::tuple<std::string, std::string, std::size_t>, Cell> cells;
  std::uint64_t ended = 0;  // read before what has begun, which includes it
  std::uint64_t slots_in_use = 0;
  for (std::size_t part = 0; part < parts_; ++part) {
    std::uint64_t& word = words_.words()[part * part_words_ + kSlotsInUse];
    slots_in_use |= std::atomic_ref(word).load(std::memory_order_relaxed);
  }
  for (std::size_t row = 0; row < rows_of(routes_.size()); ++row) {
    const auto [method, path] = labels_of(row);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if ((slots_in_use >> slot & 1) == 0) continue;
      const std::size_t first = first_word(slot, row);
      Cell read;
      std::uint64_t count = 0;
      for (std::size_t i = 0; i < kBuckets; ++i) {
        count += read.counts[i] = sum(first + kFirstBucket + i);
      }
      if (count == 0) continue;
      ended += count;
      Cell& cell = cells[{path, method, slot}];
      for (std::size_t i = 0; i < kBuckets; ++i) cell.counts[i] += read.counts[i];
      cell.sum += sum(first + kSum);
      if (cell.exemplars.empty()) cell.exemplars = exemplars_of(slot, row);
    }
  }
  text.begin(metrics::kRequestDuration);
  for (const auto& [key, cell] : cells) {
    const auto& [path, method, slot] = key;
    Labels labels = {{std::string(metrics::kMethodLabel), method},
                     {std::string(metrics::kStatusLabel), name_of_slot(slot)}};
    if (!path.empty()) labels.insert(labels.begin() + 1, {std::string(metrics::kRouteLabel), path});
    text.histogram(labels, kBounds, cell.counts, seconds(cell.sum), cell.exemplars);
  }
  text.begin(metrics::kActiveRequests);
  text.sample({}, static_cast<double>(
                      std::max<std::int64_t>(0, static_cast<std::int64_t>(sum(kBegun) - ended))));
  write_bytes(text);
  std::array<std::uint64_t, kBuckets> waits{};
  std::uint64_t longer = 0;
  for (std::size_t i = 1; i < kBuckets; ++i) {
    longer += waits[i] = sum(kQueueCell + kFirstBucket + i);
  }
  waits[0] = ended - std::min(ended, longer);
  text.begin(metrics::kQueueDuration);
  text.histogram({}, kBounds, waits, seconds(sum(kQueueCell + kSum)));
  text.begin(metrics::kRejectedRequests);
  for (std::size_t i = 1; i < kRejections; ++i) {
    text.sample({{"cause", std::string(kCauses[i])}},
                static_cast<double>(sum(kFirstRejection + i)));
  }
  text.begin(metrics::kCacheResponses);
  for (std::size_t route = 0; route < routes_.size(); ++route) {
    const std::size_t first = kFirstCache + route * kCacheWords;
    if (sum(first + 1) + sum(first + 2) + sum(first + 3) == 0) continue;
    for (std::size_t i = 1; i < kCacheWords; ++i) {
      text.sample({{std::string(metrics::kMethodLabel), routes_[route].method},
                   {std::string(metrics::kRouteLabel), routes_[route].path},
                   {"result", std::string(kOutcomes[i])}},
                  static_cast<double>(sum(first + i)));
    }
  }
}

void RequestMetrics::write_bytes(Exposition& text) const {
  std::array<std::map<std::pair<std::string, std::string>, std::uint64_t>, kBytesWords> totals;
  for (std::size_t row = 0; row < rows_of(routes_.size()); ++row) {
    for (std::size_t i = 0; i < kBytesWords; ++i) {
      const std::uint64_t bytes = sum(first_bytes(routes_.size()) + row * kBytesWords + i);
      if (bytes == 0) continue;
      const auto [method, path] = labels_of(row);
      totals[i][{path, method}] += bytes;
    }
  }
  const auto write = [&](const metrics::Metric& metric, std::size_t word) {
    text.begin(metric);
    for (const auto& [key, bytes] : totals[word]) {
      Labels labels = {{std::string(metrics::kMethodLabel), key.second}};
      if (!key.first.empty()) labels.emplace_back(std::string(metrics::kRouteLabel), key.first);
      text.sample(labels, static_cast<double>(bytes));
    }
  };
  write(metrics::kRequestBytes, 0);
  write(metrics::kResponseBytes, 1);
}

}  // namespace fw::detail
