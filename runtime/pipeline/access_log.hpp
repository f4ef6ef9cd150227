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
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now();
};

/// Whether each response has a line, and the pipeline writes it: `accessLog.errors`.
bool logs_all_responses(const Config& config);

/// Writes the line of a request, unless its path is excluded: of a stream of events, and of another
/// one that arrives after the handler has returned, when it ends, with what was sent of it.
void write_access_line(Exchange& exchange, const AccessEntry& entry);

/// The same for the 504 at a deadline. The handler may still set the response of the exchange,
/// which this does not read.
void write_line_at_deadline(Exchange& exchange, const AccessEntry& entry);

/// The same for the response of the exchange, which is ready, on the thread that handles the
/// request: `exchange.ended` is now.
void end_with_access_line(Exchange& exchange, std::chrono::steady_clock::time_point begin);

}  // namespace fw::detail
