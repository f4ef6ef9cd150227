#include "app/middleware_registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "base/suggest.hpp"
#include "errors/exception_info.hpp"

namespace fw::detail {

void MiddlewareRegistry::add(std::span<const ComponentRow> middlewares,
                             std::vector<std::string>& errors) {
  for (const ComponentRow& row : middlewares) {
    const MiddlewareDefinition* definition = row.definition->middleware();
    if (definition == nullptr) {
      errors.push_back(
          fmt::format("{}: the default export is not a value of fw::define_middleware", row.file));
      continue;
    }
    entries_.emplace(row.name, Entry{definition, std::string(row.file)});
  }
}

std::string MiddlewareRegistry::reason_for_empty_config() const {
  if (!env_.config.middlewares.empty()) return "";
  std::error_code ignored;
  if (!std::filesystem::is_directory("config", ignored)) {
    return fmt::format(
        " (there is no config/ in {}: was the program started in another directory?)",
        std::filesystem::current_path(ignored).string());
  }
  if (env_.config.environment == "test") {
    return " (a TestApp reads no files: pass it fw::load_config_from(\"config\"))";
  }
  return "";
}

std::string MiddlewareRegistry::known_names() const {
  if (entries_.empty()) return " (the program has no middlewares)";
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(fmt::format("'{}'", name));
  return fmt::format(" (the program has {})", fmt::join(names, ", "));
}

std::string MiddlewareRegistry::reason_for_missing(const std::string& name) const {
  // The listed names that no middleware has: this one may be among them, misspelt.
  std::vector<std::string_view> unknown;
  for (const MiddlewareConfig& item : env_.config.middlewares) {
    if (!entries_.contains(item.name)) unknown.push_back(item.name);
  }
  if (unknown.empty()) return "; add its name there" + reason_for_empty_config();
  if (const auto near = base::near_names(name, unknown); !near.empty()) {
    return fmt::format(", which lists '{}' instead, a name that no middleware has{}", near.front(),
                       known_names());
  }
  return fmt::format("; add its name there, and remove '{}', which no middleware has as its name{}",
                     fmt::join(unknown, "', '"), known_names());
}

Middleware MiddlewareRegistry::make(const MiddlewareRef& reference) const {
  const auto& whitelist = env_.config.middlewares;
  const auto configured =
      std::find_if(whitelist.begin(), whitelist.end(),
                   [&](const MiddlewareConfig& item) { return item.name == reference.name(); });
  if (configured == whitelist.end()) {
    throw std::invalid_argument("is not in config.middlewares" +
                                reason_for_missing(reference.name()));
  }
  const auto entry = entries_.find(reference.name());
  if (entry == entries_.end()) {
    throw std::invalid_argument("has no file middlewares/" + reference.name() + ".cpp" +
                                known_names());
  }
  const auto& [definition, file] = entry->second;
  const Json& options = reference.options().is_null() ? configured->options : reference.options();
  Middleware middleware;
  try {
    middleware = definition->make(options);
  } catch (...) {
    throw std::invalid_argument(
        fmt::format("({}) cannot be created: {}", file, describe(std::current_exception()).stack));
  }
  if (!middleware) throw std::invalid_argument("has a factory that returns an empty middleware");
  return middleware;
}

}  // namespace fw::detail
