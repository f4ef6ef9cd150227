// The lines of the access log (docs/server.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// What the line of a request says of its response.
struct AccessEntry {
  int status;
  std::optional<std::uint64_t> size;  ///< of the body; empty if it is not known
  std::chrono::steady_clock::time_point begin;
};

/// Whether each response has a line, and the pipeline writes it: `accessLog.errors`.
bool logs_all_responses(const Config& config);

/// Writes the line of a request, unless its path is excluded: of a stream of events when it ends,
/// with what was sent of it.
void write_access_line(Exchange& exchange, const AccessEntry& entry);

}  // namespace fw::detail
