// How long, and by whom, a response may be stored (docs/caching.md, RFC 9111).
#pragma once

#include <cstdint>
#include <optional>

namespace fw::detail {

/// What the response cache did for a response: the value of X-Cache.
enum class CacheOutcome : std::uint8_t { none, hit, miss, stale };

/// What stages know of the freshness of a response. The last step of the pipeline, which sees the
/// whole response, writes the header fields: see `write_freshness`.
struct Freshness {
  CacheOutcome outcome = CacheOutcome::none;
  /// Seconds for which clients may use the response; empty: not announced.
  std::optional<std::int64_t> max_age = {};
  bool is_private = false;       ///< it depends on who asks, so shared caches must not store it
  bool must_revalidate = false;  ///< caches must ask each time: "no-cache"
  bool forbids_storing = false;  ///< "no-store"
};

}  // namespace fw::detail
