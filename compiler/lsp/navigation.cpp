#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lsp/features.hpp"

namespace fairway::lsp {
namespace {

namespace fs = std::filesystem;

fs::path absolute(const std::string& display_path) {
  return fs::absolute(display_path).lexically_normal();
}

/// The default export of a source file; the start of the file if it has none.
Json location_of_file(const View& view, const std::string& path) {
  const auto file = std::ranges::find(view.snapshot.files, path, &model::ParsedFile::path);
  if (file == view.snapshot.files.end()) return nullptr;
  model::Range range = file->export_range;
  if (range.file.empty()) range.file = file->display_path;
  return view.location(range);
}

Json location_of_page(const View& view, const std::string& name) {
  const auto& pages = view.snapshot.application.pages;
  const auto page = std::ranges::find(pages, name + ".html", &model::PageFile::path);
  if (page == pages.end()) return nullptr;
  return view.location({.file = page->display_path});
}

Json reference_at(const View& view, const model::Route& route, const Position& position) {
  for (const model::MiddlewareReference& each : route.middlewares) {
    if (!view.is_at(each.range, position)) continue;
    const auto& middlewares = view.snapshot.application.middlewares;
    const auto middleware = std::ranges::find(middlewares, each.name, &model::Component::name);
    return middleware == middlewares.end() ? Json() : location_of_file(view, middleware->path);
  }
  for (const model::PageReference& each : route.pages) {
    if (view.is_at(each.range, position)) return location_of_page(view, each.name);
  }
  return nullptr;
}

}  // namespace

bool View::is_in_document(const model::Range& range) const {
  const auto [known, is_new] = is_document.try_emplace(range.file, false);
  if (is_new) {
    const fs::path path = absolute(range.file);
    std::error_code error;
    known->second =
        path == document.path || fs::weakly_canonical(path, error) == document.real_path;
  }
  return known->second;
}

bool View::is_at(const model::Range& range, const Position& position) const {
  return range.line > 0 && EditorRange(range, sources).contains(position) && is_in_document(range);
}

Json View::location(const model::Range& range) const {
  return {{"uri", documents.uri_for(absolute(range.file))},
          {"range", EditorRange(range, sources).json()}};
}

std::vector<RegisteredRoutes> routes_in(const View& view) {
  std::vector<RegisteredRoutes> found;
  for (const model::ParsedFile& file : view.snapshot.files) {
    if (!view.is_in_document({.file = file.display_path})) continue;
    for (const model::Registration& registration : file.registrations) {
      RegisteredRoutes& each = found.emplace_back();
      each.registration = &registration;
      for (const model::RouteFile& routes : view.snapshot.application.files) {
        if (routes.export_path != file.path) continue;
        for (const model::Route& route : routes.routes) {
          if (route.range == registration.range) each.routes.push_back(&route);
        }
      }
    }
  }
  return found;
}

Json definition(const View& view, const Position& position) {
  for (const model::RouteFile& file : view.snapshot.application.files) {
    const bool is_reexport = !file.export_path.empty() && file.export_path != file.path;
    if (is_reexport && view.is_at(file.export_range, position)) {
      return location_of_file(view, file.export_path);
    }
    for (const model::Route& route : file.routes) {
      if (Json location = reference_at(view, route, position); !location.is_null()) return location;
    }
  }
  return nullptr;
}

Json document_symbols(const View& view) {
  constexpr int kMethodSymbol = 6;
  Json symbols = Json::array();
  for (const auto& [registration, routes] : routes_in(view)) {
    const EditorRange range(registration->range, view.sources);
    const EditorRange name(registration->method_range, view.sources);
    for (const model::Route* route : routes) {
      symbols.push_back({{"name", fmt::format("{} {}", route->method, route->path)},
                         {"detail", route->operation_id},
                         {"kind", kMethodSymbol},
                         {"range", range.json()},
                         {"selectionRange", name.json()}});
    }
  }
  return symbols;
}

}  // namespace fairway::lsp
