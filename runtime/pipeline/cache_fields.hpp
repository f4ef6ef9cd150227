// The fields by which a response tells about the response cache, and by which it forbids storing
// (reference: Caching; docs/caching.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/fields.hpp"

namespace fw::detail {

inline constexpr std::string_view kCacheControl = "cache-control";
inline constexpr std::string_view kCache = "x-cache";

/// Whether the value of Cache-Control forbids storing the response.
bool forbids_storing(std::string_view cache_control);

/// The time that is left, for `max-age`: whole seconds, at least 0. Rounded to whole milliseconds
/// first, in which times to live are given.
std::int64_t max_age_of(std::chrono::system_clock::duration left);

enum class CacheOutcome : std::uint8_t { hit, miss, stale };

/// X-Cache with the outcome, and Cache-Control if it has a `max-age`. Valid until the thread calls
/// it again: the thread keeps them for its next response, which is often for the same entry in the
/// same second.
const http::Fields& cache_fields(CacheOutcome outcome, std::optional<std::int64_t> max_age);

}  // namespace fw::detail
