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
  }

  bool has_room(std::size_t text_size) const {
    return texts_ != nullptr && requests_.size() < kRequests && text_size_ + text_size <= kTexts;
  }
  /// The spans within a request are its main one, if there is one, and others. There must be room.
  /// Throws std::bad_alloc.
  void add(const RequestSpan& request, const MainSpan& main, std::span<const PlainSpan> within) {
    if (!within.empty()) plain_spans_.insert(plain_spans_.end(), within.begin(), within.end());
    Entry& added = requests_.emplace_back(request, main, within.size());
    added.request.path = keep(request.path);
    added.request.client = keep(request.client);
    if (!main.name.empty()) ++main_count_;
  }
  std::size_t size() const { return requests_.size() + main_count_ + plain_spans_.size(); }
  /// Calls `visit_plain` with each span within a request and the request, and then `visit_request`
  /// with the request, in the order in which requests were added.
  template <class VisitPlain, class VisitRequest>
  void for_each(VisitPlain visit_plain, VisitRequest visit_request) const {
    const PlainSpan* plain = plain_spans_.data();
    for (const auto& [request, main, plain_count] : requests_) {
      for (const PlainSpan& span : std::span(plain, plain_count)) visit_plain(span, request);
      plain += plain_count;
      if (!main.name.empty()) visit_plain(main.plain(request.id), request);
      visit_request(request);
    }
  }

 private:
  struct Entry {
    Entry(const RequestSpan& own, const MainSpan& main_within, std::size_t count)
        : request(own), main(main_within), plain_count(count) {}

    RequestSpan request;
    MainSpan main;
    std::size_t plain_count;  ///< of `plain_spans_`
  };
  static constexpr std::size_t kRequests = 64;
  static constexpr std::size_t kTexts = 4'096;

  std::string_view keep(std::string_view text) noexcept {
    char* const begin = texts_.get() + text_size_;
    if (!text.empty()) std::memcpy(begin, text.data(), text.size());
    text_size_ += text.size();
    return {begin, text.size()};
  }

  std::vector<Entry> requests_;
  std::vector<PlainSpan> plain_spans_;  ///< of all requests, in their order
  std::unique_ptr<char[]> texts_;       ///< of all requests
  std::size_t text_size_ = 0;
  std::size_t main_count_ = 0;  ///< of requests with a main span
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
