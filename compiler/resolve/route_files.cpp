#include "resolve/route_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fairway::resolve {
namespace {

constexpr std::string_view kRoutes = "routes/";
constexpr std::string_view kMiddlewares = "middlewares/";
constexpr std::string_view kPlugins = "plugins/";

std::string_view below(std::string_view path, std::string_view folder) {
  if (path.starts_with(folder)) path.remove_prefix(folder.size());
  return path;
}

std::string_view without_ending(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  const bool is_ending =
      dot != std::string_view::npos && (slash == std::string_view::npos || dot > slash);
  return is_ending ? path.substr(0, dot) : path;
}

// "api/orders", "api" for "api/index", empty for "index".
std::string_view route_name(std::string_view path) {
  std::string_view name = without_ending(below(path, kRoutes));
  if (name == "index") return {};
  constexpr std::string_view kIndex = "/index";
  if (name.ends_with(kIndex)) name.remove_suffix(kIndex.size());
  return name;
}

using model::ExportKind;
using model::ParsedFile;

std::string target_path(const ParsedFile& file) {
  const auto folder = std::filesystem::path(file.path).parent_path();
  return (folder / file.reexport_target).lexically_normal().generic_string();
}

}  // namespace

FileRole role_of(std::string_view path) {
  if (path.starts_with(kRoutes)) return FileRole::route;
  if (path.starts_with(kMiddlewares)) return FileRole::middleware;
  if (path.starts_with(kPlugins)) return FileRole::plugin;
  return FileRole::other;
}

std::string prefix_of(std::string_view path) { return "/" + std::string(route_name(path)); }

std::string tag_of(std::string_view path) {
  const std::string_view name = route_name(path);
  return name.empty() ? "root" : std::string(name);
}

std::string component_name(std::string_view path) {
  return std::string(without_ending(below(below(path, kMiddlewares), kPlugins)));
}

Reexports follow_reexports(const ParsedFile& file, const FileIndex& files) {
  Reexports result;
  const ParsedFile* current = &file;
  while (current->export_kind == ExportKind::reexport) {
    result.chain.push_back(current);
    std::string target = target_path(*current);
    const auto found = files.find(target);
    if (found == files.end() || role_of(target) != FileRole::route) {
      result.missing_target = std::move(target);
      return result;
    }
    current = found->second;
    if (std::ranges::find(result.chain, current) != result.chain.end()) {
      result.is_cycle = current == &file;
      return result;
    }
  }
  if (current->export_kind == ExportKind::routes) result.source = current;
  return result;
}

}  // namespace fairway::resolve
