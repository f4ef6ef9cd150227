// Takes a generated table: plugins, middlewares, and what the route files register.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/app_core.hpp"
#include "app/declaration_check.hpp"
#include "app/plugin_order.hpp"
#include "app/table_check.hpp"
#include "docs/openapi_document.hpp"
#include "errors/exception_info.hpp"
#include "schema/route_path.hpp"

namespace fw::detail {

void AppCore::mount(const AppTable& table) {
  require_set_up("app.mount");
  set_up_plugins(table);
  collect_middlewares(table);
  for (const RouteFileRow& file : table.files) collect_routes(file);
  if (env.config.openapi.enabled && !table.openapi.empty()) {
    docs::add_document(openapi_, table.openapi, errors_);
  }
}

void AppCore::set_up_plugins(const AppTable& table) {
  std::vector<const Plugin*> plugins;
  std::map<const Plugin*, std::string_view> files;
  for (const UnitRow& row : table.plugins) {
    const PluginDefinition* definition = row.definition->plugin();
    if (definition == nullptr) {
      errors_.push_back(fmt::format("{}: the default export is no fw::define_plugin", row.file));
      continue;
    }
    plugins.push_back(&definition->plugin());
    files.emplace(plugins.back(), row.file);
  }
  // What depends on a plugin that failed would only fail for want of it.
  std::set<std::string, std::less<>> failed;
  for (const Plugin* plugin : order_plugins(plugins, errors_)) {
    const bool lacks_dependency =
        std::any_of(plugin->dependencies.begin(), plugin->dependencies.end(),
                    [&](const Text& name) { return failed.contains(name.str()); });
    if (lacks_dependency || !set_up_plugin(*plugin, files.at(plugin))) {
      failed.insert(plugin->name.str());
    }
  }
}

bool AppCore::set_up_plugin(const Plugin& plugin, std::string_view file) {
  hooks::PluginBeforeSetup before{app_, plugin.name};
  env.hooks.emit(before, env.logger);
  try {
    if (plugin.setup) plugin.setup(app_);
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    hooks::PluginError event{app_, plugin.name, error};
    env.hooks.emit(event, env.logger);
    errors_.push_back(
        fmt::format("{}: plugin '{}': {}", file, plugin.name.str(), describe(error).stack));
    return false;
  }
  on_ready(plugin.on_ready);
  on_close(plugin.on_close);
  hooks::PluginAfterSetup after{app_, plugin.name};
  env.hooks.emit(after, env.logger);
  return true;
}

void AppCore::collect_middlewares(const AppTable& table) {
  for (const UnitRow& row : table.middlewares) {
    const MiddlewareDefinition* definition = row.definition->middleware();
    if (definition == nullptr) {
      errors_.push_back(
          fmt::format("{}: the default export is no fw::define_middleware", row.file));
      continue;
    }
    middlewares_.emplace(row.name, MountedMiddleware{definition, std::string(row.file)});
  }
}

void AppCore::collect_routes(const RouteFileRow& file) {
  const RouteDefinition* definition = file.definition->routes();
  if (definition == nullptr) {
    errors_.push_back(fmt::format("{}: the default export is no fw::define_routes", file.file));
    return;
  }
  Router& router = routers_.emplace_back(app_);
  try {
    definition->run(router);
  } catch (...) {
    router.close();
    errors_.push_back(fmt::format("{}: the factory failed: {}", file.file,
                                  describe(std::current_exception()).stack));
    return;
  }
  std::vector<RouteRecord> records = router.close();
  const std::vector<const RouteRow*> rows = rows_of(file, records, errors_);
  for (std::size_t i = 0; i < records.size(); ++i) {
    RouteRecord& record = records[i];
    Route route{.method = std::move(record.method),
                .path = schema::join_route_paths(file.prefix, record.path),
                .file = std::string(file.file),
                .options = std::move(record.options),
                .handler = std::move(record.handler)};
    if (const RouteRow* const row = rows[i]) {
      route.line = row->line;
      route.operation_id = row->operation_id;
    }
    for (const std::string& error : declaration_errors(route.options)) {
      errors_.push_back(place_of(route) + ": " + name_of(route) + ": " + error);
    }
    pipeline_.add(std::move(route), errors_);
  }
}

std::string AppCore::reason_for_empty(const std::vector<MiddlewareConfig>& whitelist) const {
  if (!whitelist.empty()) return "";
  std::error_code ignored;
  if (!std::filesystem::is_directory("config", ignored)) {
    return fmt::format(" (there is no config/ in {}: was the program started in another folder?)",
                       std::filesystem::current_path(ignored).string());
  }
  if (env.config.environment == "test") {
    return " (a TestApp reads no files: pass it fw::load_config_from(\"config\"))";
  }
  return "";
}

Middleware AppCore::make_middleware(const MiddlewareRef& reference) const {
  const auto& whitelist = env.config.middlewares;
  const auto entry =
      std::find_if(whitelist.begin(), whitelist.end(),
                   [&](const MiddlewareConfig& item) { return item.name == reference.name(); });
  if (entry == whitelist.end()) {
    throw std::invalid_argument("is not in config.middlewares; add its name there" +
                                reason_for_empty(whitelist));
  }
  const auto mounted = middlewares_.find(reference.name());
  if (mounted == middlewares_.end()) {
    throw std::invalid_argument("has no file middlewares/" + reference.name() + ".cpp");
  }
  const Json& options = reference.options().is_null() ? entry->options : reference.options();
  Middleware middleware;
  try {
    middleware = mounted->second.definition->make(options);
  } catch (...) {
    throw std::invalid_argument(fmt::format("({}) cannot be made: {}", mounted->second.file,
                                            describe(std::current_exception()).stack));
  }
  if (!middleware) throw std::invalid_argument("has a factory that returns an empty middleware");
  return middleware;
}

}  // namespace fw::detail
