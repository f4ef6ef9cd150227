// Spans that are sent together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/span_record.hpp"

namespace fw::detail {

/// The spans of requests that have only facts and plain spans, in memory for several requests,
/// because few instructions may add them while a request waits.
class RequestSpans {
 public:
  /// Without memory.
  RequestSpans() = default;
  /// With memory for requests of which the first one has texts of the size. Throws std::bad_alloc.
  explicit RequestSpans(std::size_t text_size)
      : texts_(std::make_unique_for_overwrite<char[]>(std::max(kTexts, text_size))) {
    requests_.reserve(kRequests);
    plain_spans_.reserve(kRequests);
  }

  bool has_room(std::size_t text_size) const {
    return texts_ != nullptr && requests_.size() < kRequests && text_size_ + text_size <= kTexts;
  }
  /// There must be room. Throws std::bad_alloc.
  void add(const RequestSpan& request, std::span<const PlainSpan> within) {
    plain_spans_.insert(plain_spans_.end(), within.begin(), within.end());
    requests_.push_back(request);
    RequestSpan& added = requests_.back();
    added.plain_count = within.size();
    added.path = keep(request.path);
    added.client = keep(request.client);
  }
  std::size_t size() const { return requests_.size() + plain_spans_.size(); }
  /// Calls `visit` with each request and the spans within it, in the order in which they were
  /// added.
  template <class Visit>
  void for_each(Visit visit) const {
    const PlainSpan* plain = plain_spans_.data();
    for (const RequestSpan& request : requests_) {
      visit(request, std::span(plain, request.plain_count));
      plain += request.plain_count;
    }
  }

 private:
  static constexpr std::size_t kRequests = 64;
  static constexpr std::size_t kTexts = 4'096;

  std::string_view keep(std::string_view text) noexcept {
    char* const begin = texts_.get() + text_size_;
    if (!text.empty()) std::memcpy(begin, text.data(), text.size());
    text_size_ += text.size();
    return {begin, text.size()};
  }

  std::vector<RequestSpan> requests_;
  std::vector<PlainSpan> plain_spans_;  ///< of all requests, in their order
  std::unique_ptr<char[]> texts_;       ///< of all requests
  std::size_t text_size_ = 0;
};

struct SpanBatch {
  SpanBatch() = default;
  SpanBatch(std::vector<SpanRecord> spans) : records(std::move(spans)) {}

  std::size_t size() const {
    std::size_t count = records.size();
    for (const RequestSpans& part : requests) count += part.size();
    return count;
  }
  bool empty() const { return records.empty() && requests.empty(); }

  std::vector<SpanRecord> records = {};
  std::vector<RequestSpans> requests = {};
  /// For the times of `requests`.
  std::chrono::nanoseconds to_unix_time = current_offset_to_unix_time();
};

}  // namespace fw::detail
