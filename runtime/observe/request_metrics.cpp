#include "observe/request_metrics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "base/methods.hpp"

namespace fw::detail {

using namespace request_cells;

namespace {

std::string name_of_slot(std::size_t slot) {
  if (slot < kStatuses.size()) return std::to_string(kStatuses[slot]);
  return std::to_string(slot - kStatuses.size() + 1) + "xx";
}

constexpr std::array<std::string_view, kRejections> kCauses = {
    "",          "rate_limit", "unauthenticated", "forbidden", "validation", "body_size",
    "malformed", "slow",       "overload"};
constexpr std::array<std::string_view, kCacheWords> kOutcomes = {"", "hit", "miss", "stale"};

/// Of each bucket of a cell: the trace (two words), the duration in nanoseconds and the time in
/// milliseconds since 1970, which is 0 if there is none.
constexpr std::size_t kExemplarWords = 4;

constexpr std::size_t kMaxParts = 32;

constexpr std::size_t words_of_exemplars(const Layout& layout) {
  return kSlots * layout.rows * kBuckets * kExemplarWords;
}

double seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

}  // namespace

std::string status_label(int status) { return name_of_slot(slot_of(status)); }

RequestMetrics::RequestMetrics(std::vector<Route> routes, bool has_exemplars)
    : routes_(std::move(routes)),
      parts_(std::min(kMaxParts, std::bit_ceil(std::size_t{2} *
                                               std::max(1U, std::thread::hardware_concurrency())))),
      layout_(routes_.size()),
      words_(parts_ * layout_.words),
      exemplars_(has_exemplars ? std::make_unique<const CounterMemory>(words_of_exemplars(layout_))
                               : nullptr) {}

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
    // A preflight has the route whose settings it asks for.
    const bool is_preflight = method.front() == 'O' && routes_[route].method != method;
    if (!is_preflight) return route + (method.front() == 'H' ? routes_.size() : 0);
  }
  const auto* const found = std::find(base::kMethods.begin(), base::kMethods.end(), method);
  return routes_.size() * kRowsOfRoute + static_cast<std::size_t>(found - base::kMethods.begin());
}

void RequestMetrics::end(Part part, const Response& response,
                         std::chrono::nanoseconds duration) noexcept {
  const std::size_t slot = slot_of(response.status);
  const std::size_t row = row_of(response.route, response.method);
  count_duration(part, slot, row, duration);
  count_bytes(part, row, response.request_bytes, response.response_bytes);
  if (response.queued.count() > 0) count_wait(part, response.queued);
  if (response.rejection != Rejection::none) {
    add(part[kFirstRejection + static_cast<std::size_t>(response.rejection)], 1);
  }
  if (response.cache != MeasuredCache::none && response.route != kNoRoute) {
    add(part[kFirstCache + response.route * kCacheWords + static_cast<std::size_t>(response.cache)],
        1);
  }
  if (response.trace != nullptr) {
    keep_exemplar(slot, row, *response.trace, static_cast<std::uint64_t>(duration.count()));
  }
}

void RequestMetrics::count_wait(Part part, std::chrono::nanoseconds wait) noexcept {
  const auto nanoseconds = static_cast<std::uint64_t>(wait.count());
  std::uint64_t* const cell = part + kQueueCell;
  add(cell[kSum], nanoseconds);
  if (const std::size_t bucket = bucket_of(nanoseconds)) add(cell[kFirstBucket + bucket], 1);
}

void RequestMetrics::count_sent(std::size_t route, std::string_view method,
                                std::uint64_t bytes) noexcept {
  const std::size_t row = row_of(route, method);
  add(own_part()[layout_.first_bytes + row * kBytesWords + 1], bytes);
}

void RequestMetrics::keep_exemplar(std::size_t slot, std::size_t row, const base::TraceId& trace,
                                   std::uint64_t nanoseconds) noexcept {
  if (!exemplars_) return;
  // Any of several requests will do, so that none waits for another, or for a scrape.
  const std::unique_lock lock(exemplars_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const std::size_t cell = slot * layout_.rows + row;
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
  const std::size_t cell = slot * layout_.rows + row;
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
    total += std::atomic_ref(words_.words()[part * layout_.words + word])
                 .load(std::memory_order_relaxed);
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
    std::uint64_t& word = words_.words()[part * layout_.words + kSlotsInUse];
    slots_in_use |= std::atomic_ref(word).load(std::memory_order_relaxed);
  }
  for (std::size_t row = 0; row < layout_.rows; ++row) {
    const auto [method, path] = labels_of(row);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if ((slots_in_use >> slot & 1) == 0) continue;
      const std::size_t first = layout_.cell(slot, row);
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
  for (std::size_t row = 0; row < layout_.rows; ++row) {
    for (std::size_t i = 0; i < kBytesWords; ++i) {
      const std::uint64_t bytes = sum(layout_.first_bytes + row * kBytesWords + i);
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
