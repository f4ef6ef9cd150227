// [header-not-in-cache-key]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "check/linted_route.hpp"
#include "check/lints.hpp"
#include "check/members.hpp"

namespace fairway::check {
namespace {

/// Headers that identify one request, and those whose requests the cache treats in a way of its
/// own.
constexpr std::array<std::string_view, 5> kExempt = {"authorization", "cookie", "x-request-id",
                                                     "traceparent", "tracestate"};

bool is_exempt(std::string_view name) {
  return name.starts_with("if-") || std::ranges::find(kExempt, name) != kExempt.end();
}

std::set<std::string> headers_of_key(const model::Value& cache) {
  std::set<std::string> names;
  if (const model::Value* headers = member_value(cache, "headers")) {
    for (const std::string& name : strings_of(*headers)) names.insert(fw::base::lower_case(name));
  }
  return names;
}

}  // namespace

void lint_header_not_in_cache_key(const LintedRoute& route, Reporter& reporter) {
  const model::Member* cache = route.active_cache();
  if (!cache || !is_safe(route.route->method)) return;
  const model::Value* key = member_value(cache->value, "key");
  const bool has_function = find_member(cache->value, "partition_key") ||
                            (key && key->kind != model::Value::Kind::string);
  if (has_function) return;
  std::set<std::string> known = headers_of_key(cache->value);
  for (const model::InputRead& read : route.registration->handler.reads) {
    if (read.location != "header") continue;
    const std::string name = fw::base::lower_case(read.path.front());
    if (is_exempt(name) || !known.insert(name).second) continue;  // each name once
    reporter
        .report(rules::header_not_in_cache_key,
                fmt::format("the header '{}' is not part of the key of the cache", name),
                read.range, fmt::format("add it: '.headers = {{\"{}\"}}'", name))
        .notes.push_back({"the response is cached here", cache->name_range});
  }
}

}  // namespace fairway::check
