#include "rules/linted_route.hpp"

#include <algorithm>
#include <map>

#include "model/value_members.hpp"

namespace fairway::rules {

const model::Member* LintedRoute::option(std::string_view name) const {
  return registration->options ? find_member(*registration->options, name) : nullptr;
}

const model::Range& LintedRoute::range_for(std::string_view name) const {
  const model::Member* member = option(name);
  return member && is_written_here(member->name_range) ? member->name_range
                                                       : registration->method_range;
}

const model::Member* LintedRoute::active_cache() const {
  const model::Member* cache = option("cache");
  if (!cache) return nullptr;
  // `false` and 0 switch the cache off, and so does a negative `ttl`.
  if (cache->value.kind != model::Value::Kind::record) {
    return number_of(cache->value).value_or(0) > 0 ? cache : nullptr;
  }
  const model::Value* ttl = member_value(cache->value, "ttl");
  return !ttl || number_of(*ttl).value_or(0) >= 0 ? cache : nullptr;
}

const model::Member* LintedRoute::effective_cache() const {
  const model::Member* cache = active_cache();
  if (!cache) return nullptr;
  const model::Value* methods = member_value(cache->value, "methods");
  const bool caches_method = methods && !methods->items.empty()
                                 ? std::ranges::find(methods->items, route->method,
                                                     &model::Value::text) != methods->items.end()
                                 : route->method == "GET" || route->method == "HEAD";
  return caches_method ? cache : nullptr;
}

bool LintedRoute::bypasses(const model::Member& cache) const {
  return route->auth.guards() && !find_member(cache.value, "partition_key") &&
         !flag_member(cache.value, "allow_authorization_cache").value_or(false);
}

bool LintedRoute::is_written_here(const model::Range& range) const {
  return registration->range.contains(range);
}

std::vector<LintedFile> linted_files(const model::Application& application,
                                     const std::vector<model::ParsedFile>& files,
                                     const model::AppSettings& settings) {
  std::map<std::string_view, const model::ParsedFile*> by_path;
  for (const model::ParsedFile& file : files) by_path.emplace(file.path, &file);
  std::map<std::string_view, int> uses;
  for (const model::RouteFile& file : application.files) ++uses[file.export_path];

  std::vector<LintedFile> result;
  for (const model::RouteFile& file : application.files) {
    LintedFile& linted = result.emplace_back();
    linted.file = &file;
    const auto source = by_path.find(file.export_path);
    if (source == by_path.end()) continue;
    // If there are no errors, every registration is a route.
    const auto& registrations = source->second->registrations;
    const std::size_t count = std::min(registrations.size(), file.routes.size());
    for (std::size_t index = 0; index < count; ++index) {
      linted.routes.push_back({.route = &file.routes[index],
                               .registration = &registrations[index],
                               .settings = &settings,
                               .is_served_once = uses[file.export_path] == 1});
    }
  }
  return result;
}

}  // namespace fairway::rules
