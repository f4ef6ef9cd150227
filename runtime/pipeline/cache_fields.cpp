#include "pipeline/cache_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/ascii.hpp"

namespace fw::detail {
namespace {

/// Room for the value of Cache-Control.
constexpr std::size_t kLongestCacheControl = 48;

std::string_view name_of(CacheOutcome outcome) {
  switch (outcome) {
    case CacheOutcome::hit:
      return "HIT";
    case CacheOutcome::miss:
      return "MISS";
    case CacheOutcome::stale:
      break;
  }
  return "STALE";
}

void add_cache_control(http::Fields& fields, std::int64_t max_age) {
  const fmt::format_int digits(max_age);
  constexpr std::string_view kMaxAge = "public, max-age=";
  std::array<char, kLongestCacheControl> value;
  const std::size_t size = kMaxAge.copy(value.data(), kMaxAge.size());
  std::copy_n(digits.data(), digits.size(), value.data() + size);
  fields.add_valid(kCacheControl, {value.data(), size + digits.size()});
}

}  // namespace

bool forbids_storing(std::string_view cache_control) {
  bool forbids = false;
  base::for_each_token(cache_control, ',', [&](std::string_view directive) {
    const std::string_view name = base::trim_ows(directive.substr(0, directive.find('=')));
    for (const std::string_view each : {"no-store", "no-cache", "private"}) {
      forbids = forbids || base::equal_ignoring_case(name, each);
    }
  });
  return forbids;
}

std::int64_t max_age_of(std::chrono::system_clock::duration left) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(left + std::chrono::microseconds(500));
  return std::max<std::int64_t>(seconds.count(), 0);
}

const http::Fields& cache_fields(CacheOutcome outcome, std::optional<std::int64_t> max_age) {
  struct Kept {
    CacheOutcome outcome = CacheOutcome::hit;
    std::optional<std::int64_t> max_age;
    http::Fields fields;
  };
  thread_local Kept kept;
  if (kept.fields.empty() || kept.outcome != outcome || kept.max_age != max_age) {
    http::Fields fields;
    fields.add_valid(kCache, name_of(outcome));
    if (max_age) add_cache_control(fields, *max_age);
    kept = {outcome, max_age, std::move(fields)};
  }
  return kept.fields;
}

}  // namespace fw::detail
