#include "features/cache/cached_route.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"
#include "chain/freshness.hpp"
#include "exchange/route.hpp"

namespace fw::detail {
namespace {

/// Dependencies that are reported for a route. Clients may choose the names of header fields.
constexpr std::size_t kMaxReports = 32;

/// As long as `max-age` can say: a time point of the clock has room for the sum of both and now.
CachedRoute::Lives bounded(const CachedRoute::Lives& lives) {
  constexpr std::chrono::seconds kMaxSeconds(std::numeric_limits<std::int32_t>::max());
  return {.ttl = std::min<std::chrono::milliseconds>(lives.ttl, kMaxSeconds),
          .stale_for = std::min<std::chrono::milliseconds>(lives.stale_for, kMaxSeconds)};
}

std::string_view host_of(const Exchange& exchange) {
  return exchange.head.fields.find("host").value_or(std::string_view());
}

std::string remedy_for(const Dependency& dependency) {
  switch (dependency.part) {
    case RequestPart::header:
      return "add it to 'headers' of the cache, or use it in 'partition_key'";
    case RequestPart::query:
      return "add it to 'query' of the cache, or use it in 'key'";
    case RequestPart::queries:
      return "read single parameters, or omit 'query' and 'key' of the cache";
    case RequestPart::request_id:
      return "each response already has its own id in the header and in the envelope";
    case RequestPart::parameter:
    case RequestPart::path:
    case RequestPart::body:
      return "use it in 'key'";
    default:
      return "use it in 'partition_key'";
  }
}

}  // namespace

CachedRoute::CachedRoute(StoredResponses& responses, const Route& route, std::string_view kind,
                         Lives route_lives, std::span<const std::string> tags)
    : cache(responses),
      lives(bounded(route_lives)),
      route_(route),
      prefix_(fmt::format("cache:{}:{}\n", kind, name_of(route))),
      http_prefix_(prefix_ + "http "),
      https_prefix_(prefix_ + "https "),
      tags_(responses.tags(tags)) {}

StoredKey CachedRoute::begin_key(Exchange& exchange, bool has_language, bool has_pages) const {
  const bool is_https = exchange.protocol() == "https";
  StoredKey key(is_https ? https_prefix_ : http_prefix_);
  key.append_host(host_of(exchange), is_https);
  key.append('\n');
  if (has_language || has_language_) key.append_language(exchange.language());
  if (has_pages || has_pages_) key.append_pages(exchange.env.pages.current()->version());
  return key;
}

void CachedRoute::learn(const StoredKey& key) {
  if (key.has_language()) learn_language();
  if (key.has_pages()) learn_pages();
}

std::string CachedRoute::plain_host(Exchange& exchange) {
  return detail::plain_host(host_of(exchange), exchange.protocol() == "https");
}

bool CachedRoute::has_plain_host(Exchange& exchange) {
  return plain_host(exchange) == host_of(exchange);
}

void CachedRoute::report(Exchange& exchange, std::string_view reason) {
  {
    const std::lock_guard lock(mutex_);
    if (reported_.size() >= kMaxReports || reported_.contains(reason)) return;
    reported_.emplace(reason);
  }
  exchange.env.logger.warn(fmt::format("{}: {}: a response is not cached, because {}",
                                       source_of(route_), name_of(route_), reason));
}

void CachedRoute::report(Exchange& exchange, const Dependency& dependency) {
  report(exchange, fmt::format("it depends on {}, which is not part of the key: {}",
                               dependency.describe(), remedy_for(dependency)));
}

std::string plain_host(std::string_view host, bool is_https) {
  StoredKey plain({});
  plain.append_host(host, is_https);
  return std::string(plain.full());
}

std::string_view without_last_slashes(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

std::string declared_query(std::string_view query, std::span<const std::string> names) {
  std::string declared;
  for (const std::string& wanted : names) {
    base::for_each_token(query, '&', [&](std::string_view pair) {
      if (base::decode_form(pair.substr(0, pair.find('='))) != wanted || pair.empty()) return;
      declared.append(declared.empty() ? "?" : "&").append(pair);
    });
  }
  return declared;
}

bool add_announced(const Exchange& exchange, const http::Fields& before, Dependencies& observed) {
  bool is_known = true;
  for (const auto& [name, value] : exchange.outgoing.fields_without_hooks()) {
    if (!base::equal_ignoring_case(name, "vary")) continue;
    base::for_each_token(value, ',', [&](std::string_view field) {
      field = base::trim_ows(field);
      if (field == "*") {
        is_known = false;
      } else if (!field.empty() && !names_in_vary(before, field)) {
        observed.add(RequestPart::header, field);
      }
    });
  }
  return is_known;
}

}  // namespace fw::detail
