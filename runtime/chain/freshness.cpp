#include "chain/freshness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "base/ascii.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kAge = "age";
constexpr std::string_view kNoStore = "no-store";

std::string_view name_of(CacheOutcome outcome) {
  switch (outcome) {
    case CacheOutcome::hit:
      return "HIT";
    case CacheOutcome::miss:
      return "MISS";
    default:
      return "STALE";
  }
}

/// Calls `use` for each directive of Cache-Control, which may have several lines.
template <class Use>
void for_each_directive(const http::Fields& fields, const Use& use) {
  if (!fields.may_have(kCacheControl)) return;
  for (const auto& [name, value] : fields) {
    if (!base::equal_ignoring_case(name, kCacheControl)) continue;
    base::for_each_token(value, ',', [&](std::string_view directive) {
      directive = base::trim_ows(directive);
      if (!directive.empty()) use(directive);
    });
  }
}

std::string_view directive_name(std::string_view directive) {
  return base::trim_ows(directive.substr(0, directive.find('=')));
}

/// Whether some caches decide by the field instead of Cache-Control: those that are named by RFC
/// 9213, such as CDN-Cache-Control, and older ones.
bool is_targeted(std::string_view name) {
  constexpr std::string_view kSuffix = "-cache-control";
  return (name.size() > kSuffix.size() &&
          base::equal_ignoring_case(name.substr(name.size() - kSuffix.size()), kSuffix)) ||
         base::equal_ignoring_case(name, "surrogate-control") ||
         base::equal_ignoring_case(name, "x-accel-expires");
}

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return base::equal_ignoring_case(name, each); });
}

/// Whether a value of Cache-Control, or of a field that is used in its place, has a lifetime, which
/// counts from the time when the response was made.
bool has_lifetime(std::string_view value) {
  bool has = false;
  base::for_each_token(value, ',', [&](std::string_view directive) {
    has = has || is_any_of(directive_name(base::trim_ows(directive)), {"max-age", "s-maxage"});
  });
  return has;
}

/// The first number of seconds that an upstream has sent (RFC 9111, 5.1); 0 if it is none.
std::int32_t seconds_of(std::string_view value) {
  value = base::trim_ows(value.substr(0, value.find(',')));
  std::uint64_t seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (end != value.data() + value.size() || value.empty()) return 0;
  constexpr std::uint64_t kMaxAge = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(error == std::errc() ? std::min(seconds, kMaxAge) : kMaxAge);
}

std::int32_t sum(std::int32_t a, std::int32_t b) {
  return a > std::numeric_limits<std::int32_t>::max() - b ? std::numeric_limits<std::int32_t>::max()
                                                          : a + b;
}

/// Completes Age of a cached response if caches need it (RFC 9111, 5.1).
void write_age(http::Fields& fields, Freshness& freshness) {
  const auto of_upstream = fields.find(kAge);
  const bool is_stored = freshness.outcome != CacheOutcome::miss;
  const bool is_needed =
      of_upstream ||
      (is_stored && std::any_of(fields.begin(), fields.end(), [](const http::Field& field) {
         return field.name.size() >= kCacheControl.size() &&  // the shortest name of these
                (base::equal_ignoring_case(field.name, kCacheControl) || is_targeted(field.name)) &&
                has_lifetime(field.value);
       }));
  if (!is_needed) return;
  const std::int32_t age = sum(seconds_of(of_upstream.value_or("")), freshness.age);
  fields.mark_valid(fields.set(kAge, std::to_string(age)));
  if (freshness.max_age != Freshness::kNotAnnounced) {
    freshness.max_age = sum(freshness.max_age, age);
  }
}

/// The Cache-Control of these fields, which may have several lines, without what allows shared
/// caches to store the response. A directive with names of fields ('private="x-a"') restricts only
/// these.
std::string made_private(const http::Fields& fields) {
  std::string value;
  bool is_private = false;
  for_each_directive(fields, [&](std::string_view directive) {
    if (is_any_of(directive_name(directive), {"public", "s-maxage"})) return;
    is_private = is_private || is_any_of(directive, {"private", kNoStore});
    value.append(value.empty() ? "" : ", ").append(directive);
  });
  if (is_private) return value;
  return value.empty() ? "private" : "private, " + value;
}

/// The value of Cache-Control for what the stages know; empty if there is nothing to tell.
std::string cache_control_of(const Freshness& freshness, bool is_private) {
  if (freshness.forbids_storing) return std::string(kNoStore);
  if (freshness.must_revalidate) return is_private ? "private, no-cache" : "no-cache";
  if (freshness.max_age == Freshness::kNotAnnounced) return {};
  return fmt::format("{}, max-age={}", is_private ? "private" : "public", freshness.max_age);
}

/// The fields for these values, which the thread keeps for its next response: it is often for the
/// same entry in the same second.
const http::Fields& fields_of(const Freshness& freshness, bool is_private) {
  struct Kept {
    CacheOutcome outcome = CacheOutcome::none;
    std::int32_t max_age = Freshness::kNotAnnounced;
    bool is_private = false;
    http::Fields fields;
  };
  thread_local Kept kept;
  const bool is_kept = !kept.fields.empty() && kept.outcome == freshness.outcome &&
                       kept.max_age == freshness.max_age && kept.is_private == is_private;
  if (!is_kept) {
    http::Fields fields;
    fields.add_valid(kCache, name_of(freshness.outcome));
    const std::string value = cache_control_of(freshness, is_private);
    if (!value.empty()) fields.add_valid(kCacheControl, value);
    kept = {freshness.outcome, freshness.max_age, is_private, std::move(fields)};
  }
  return kept.fields;
}

/// Whether the response is of a cached route or a page for everyone, and code that runs for each
/// request has read something.
bool has_reads(const Exchange& exchange) {
  const Freshness& freshness = exchange.outgoing.freshness;
  return exchange.reads.each_time() != nullptr &&
         (freshness.outcome != CacheOutcome::none || freshness.forbids_storing ||
          freshness.must_revalidate);
}

/// Completes Vary, whose names the application may have replaced.
void write_vary(Exchange& exchange) {
  OutgoingResponse& response = exchange.outgoing;
  if (response.vary != nullptr) response.add_vary(*response.vary);
  // No cache stores an error without Cache-Control.
  const bool may_be_stored = response.status < 400 || response.field(kCacheControl);
  if (exchange.reads.has_language() && !exchange.env.locales.empty() && may_be_stored) {
    response.add_vary("Accept-Language");
  }
  if (!has_reads(exchange)) return;
  const Dependencies& reads = *exchange.reads.each_time();
  if (reads.has(RequestPart::identity)) response.add_vary(kFieldsOfIdentity);
}

/// Whether code outside the cache may have decided by who asks. Without an identity, all requests
/// are anonymous; with one, the response is private anyway.
bool depends_on_reads(const Exchange& exchange) {
  if (!has_reads(exchange) || exchange.outgoing.freshness.may_be_shared) return false;
  const auto reads = exchange.reads.each_time()->all();
  return std::any_of(reads.begin(), reads.end(), [&](const Dependency& read) {
    if (read.part == RequestPart::identity) return false;
    if (read.is_private()) return true;
    return read.part == RequestPart::header && read.name != "host" &&
           !names_in_vary(exchange.outgoing.fields, read.name);
  });
}

/// Whether the response is for one client, although its Cache-Control may say that it is for
/// everyone. An upstream knows what the application passes on, not where the application has it
/// from; a handler may set the field for a response in which the session has a part.
bool is_for_one(const Exchange& exchange) {
  const Freshness& freshness = exchange.outgoing.freshness;
  if (freshness.may_be_shared) return false;
  const bool is_guarded = exchange.route != nullptr && exchange.route->options.auth.enabled();
  if (is_guarded || exchange.identity.is_set()) return true;
  const RequestSession* const session = exchange.session();
  if (session != nullptr && session->is_loaded()) return true;
  return freshness.is_of_upstream && exchange.reads.has_private();
}

}  // namespace

bool names_in_vary(const http::Fields& fields, std::string_view name) {
  bool is_named = false;
  base::for_each_token(fields.find("vary").value_or(""), ',', [&](std::string_view each) {
    is_named = is_named || base::equal_ignoring_case(base::trim_ows(each), name);
  });
  return is_named;
}

void remove_targeted_fields(http::Fields& fields) {
  const auto find = [&] {
    return std::find_if(fields.begin(), fields.end(),
                        [](const http::Field& field) { return is_targeted(field.name); });
  };
  for (auto found = find(); found != fields.end(); found = find()) {
    fields.remove(std::string((*found).name));
  }
}

void write_freshness(Exchange& exchange) {
  OutgoingResponse& response = exchange.outgoing;
  http::Fields& fields = response.fields;
  Freshness& freshness = response.freshness;
  if (!exchange.reads.is_complete()) {
    freshness.forbids_storing = true;
    fields.remove(kCacheControl);
  }
  write_vary(exchange);
  const bool is_error = response.status >= 400;
  const bool is_private = freshness.is_private || response.has_csrf_token ||
                          fields.find("set-cookie") || depends_on_reads(exchange) ||
                          is_for_one(exchange);
  const bool has_own = fields.find(kCacheControl).has_value();
  if (is_private || (!has_own && (is_error || freshness.forbids_storing))) {
    remove_targeted_fields(fields);
  }
  if (freshness.age != Freshness::kNotAnnounced) write_age(fields, freshness);
  if (is_error && !has_own) return fields.add_valid(kCacheControl, kNoStore);
  if (has_own && is_private) fields.set(kCacheControl, made_private(fields));
  if (is_error) return;
  const bool is_plain = !freshness.forbids_storing && !freshness.must_revalidate;
  if (freshness.outcome != CacheOutcome::none && is_plain && !has_own) {
    if (fields.may_have(kCache)) fields.remove(kCache);
    return fields.add(fields_of(freshness, is_private));
  }
  if (freshness.outcome != CacheOutcome::none) fields.set(kCache, name_of(freshness.outcome));
  if (has_own) return;
  std::string value = cache_control_of(freshness, is_private);
  // Shared caches may store what expires at a time of its own, or choose one by the last change.
  if (value.empty() && is_private && (fields.find("expires") || fields.find("last-modified"))) {
    value = "private";
  }
  if (!value.empty()) fields.add_valid(kCacheControl, value);
}

bool forbids_storing(const http::Fields& fields) {
  bool forbids = false;
  for_each_directive(fields, [&](std::string_view directive) {
    forbids = forbids || is_any_of(directive_name(directive), {kNoStore, "no-cache", "private"});
  });
  return forbids;
}

bool has_no_store(const http::Fields& fields) {
  bool has = false;
  for_each_directive(fields,
                     [&](std::string_view each) { has = has || is_any_of(each, {kNoStore}); });
  return has;
}

std::int32_t max_age_of(std::chrono::system_clock::duration time) {
  constexpr std::int64_t kMaxAge = std::numeric_limits<std::int32_t>::max();  // RFC 9111, 1.2.2
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time + std::chrono::microseconds(500));
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(seconds.count(), 0, kMaxAge));
}

}  // namespace fw::detail
