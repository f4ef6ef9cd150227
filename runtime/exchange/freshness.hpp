// How long, and by whom, a response may be stored (docs/caching.md, RFC 9111).
#pragma once

#include <cstdint>

namespace fw::detail {

/// What the response cache did for a response: the value of X-Cache.
enum class CacheOutcome : std::uint8_t { none, hit, miss, stale };

/// What stages know of the freshness of a response. The last step of the pipeline, which sees the
/// whole response, writes the header fields: see `write_freshness`.
struct Freshness {
  static constexpr std::int64_t kNotAnnounced = -1;

  /// Seconds for which clients may use the response.
  std::int64_t max_age = kNotAnnounced;
  CacheOutcome outcome = CacheOutcome::none;
  bool is_private = false;       ///< it depends on who asks, so shared caches must not store it
  bool must_revalidate = false;  ///< caches must ask each time: "no-cache"
  bool forbids_storing = false;  ///< "no-store"
};

}  // namespace fw::detail
