// The records that say the same as a batch.
#pragma once

#include <vector>

#include "observe/span_batch.hpp"

namespace fw::detail {

/// The spans of each request before its own one.
inline std::vector<SpanRecord> records_of(const SpanBatch& batch) {
  std::vector<SpanRecord> records = batch.records;
  const auto add = [&](SpanRecord record) {
    record.to_unix_time = batch.to_unix_time;
    records.push_back(std::move(record));
  };
  for (const RequestSpans& part : batch.requests) {
    part.for_each([&](const PlainSpan& span,
                      const RequestSpan& request) { add(record_of(span, request.trace)); },
                  [&](const RequestSpan& request) { add(record_of(request)); });
  }
  return records;
}

}  // namespace fw::detail
