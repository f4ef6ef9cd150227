#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "emit/application_files.hpp"
#include "emit/observability.hpp"
#include "emit/source_parts.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {
namespace {

using model::Application;
using model::Component;
using model::Route;
using model::RouteFile;

std::string shown_path(const Application& application, const std::string& path) {
  return string_literal(application.source_name + "/" + path);
}

std::string export_declarations(const Application& application) {
  std::set<std::string> paths;
  for (const RouteFile& file : application.files) paths.insert(file.export_path);
  for (const Component& component : application.middlewares) paths.insert(component.path);
  for (const Component& component : application.plugins) paths.insert(component.path);
  std::string text;
  for (const std::string& path : paths) {
    text += fmt::format("extern const fw::DefaultExport {};\n",
                        model::export_name(path, application.name));
  }
  return text;
}

std::string route_row(const Route& route) {
  return fmt::format("{{{}, {}, {}, {}, {}, {}}},\n", string_literal(route.method),
                     string_literal(route.subpath), string_literal(route.path),
                     string_literal(route.operation_id), string_literal(route.option_digests),
                     route.range.line);
}

std::string routes_array(const RouteFile& file, std::size_t index) {
  if (file.routes.empty()) return {};
  std::string rows;
  for (const Route& route : file.routes) rows += route_row(route);
  return fill(R"(
// Method, subpath, path, operation id, digests of the options, line.
constexpr fw::RouteRow kRoutes$index$[] = {
    $rows$
};
)",
              {{"index", std::to_string(index)}, {"rows", rows}});
}

std::string file_row(const Application& application, const RouteFile& file, std::size_t index) {
  return fmt::format(
      "{{{}, {}, &{}, {}{}}},\n", shown_path(application, file.path), string_literal(file.prefix),
      model::export_name(file.export_path, application.name),
      file.routes.empty() ? "{}" : "kRoutes" + std::to_string(index),
      has_runtime_types(file) ? ", " + model::types_name(file.path, application.name) : "");
}

std::string types_declarations(const Application& application) {
  std::string text;
  for (const RouteFile& file : application.files) {
    if (!has_runtime_types(file)) continue;
    text += fmt::format("extern const fw::detail::RouteTypes {}[];\n",
                        model::types_name(file.path, application.name));
  }
  return text;
}

std::string type_row_declarations(const Application& application) {
  std::string text;
  for (const model::UsedType& used : application.type_uses) {
    text += fmt::format("extern const fw::detail::TypeRow {};\n", type_row_name(used, application));
  }
  return text;
}

std::string component_row(const Application& application, const Component& component) {
  return fmt::format("{{{}, {}, &{}}},\n", string_literal(component.name),
                     shown_path(application, component.path),
                     model::export_name(component.path, application.name));
}

/// A file as lines of literals, in parts that are short enough for one literal each.
std::string content_array(std::string_view content, const std::string& name) {
  constexpr std::size_t kMaxPart = 32768;
  std::string parts;
  std::size_t size = 0;
  for (std::string_view rest = content; !rest.empty();) {
    const std::size_t line = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view piece = rest.substr(0, std::min(line, kMaxPart));
    if (size > 0) parts += size + piece.size() > kMaxPart ? ",\n" : "\n";
    size = size + piece.size() > kMaxPart ? piece.size() : size + piece.size();
    parts += string_literal(piece);
    rest.remove_prefix(piece.size());
  }
  if (parts.empty()) parts = string_literal("");
  return fill(R"(
constexpr std::string_view $name$[] = {
    $parts$,
};
)",
              {{"name", name}, {"parts", parts}});
}

/// The files of pages/ and the static pages.
struct PageTables {
  std::string arrays;
  std::string members;  ///< of the table of the application
};

// An array of rows; empty without rows, because C++ has no empty arrays.
std::string array_text(std::string_view type, std::string_view name, const std::string& rows) {
  if (rows.empty()) return {};
  return fill(R"(
const $type$ $name$[] = {
    $rows$
};
)",
              {{"type", std::string(type)}, {"name", std::string(name)}, {"rows", rows}});
}

PageTables page_tables(const Application& application) {
  PageTables tables;
  if (application.pages.empty()) return tables;
  std::string rows;
  const auto add = [&](std::string_view path, std::string_view content, std::string name) {
    append_block(tables.arrays, content_array(content, name));
    rows += fmt::format("{{{}, {}}},\n", string_literal(path), name);
  };
  for (std::size_t i = 0; i < application.pages.size(); ++i) {
    add(application.pages[i].path, application.pages[i].content, fmt::format("kPage{}", i));
  }
  append_block(tables.arrays, array_text("fw::PageFileRow", "kPages", rows));
  tables.members =
      ".pages = kPages,\n.pages_directory = " + shown_path(application, "pages") + ",\n";
  const StaticPages rendered = render_static_pages(application);
  if (rendered.pages.empty()) return tables;
  rows.clear();
  for (std::size_t i = 0; i < rendered.pages.size(); ++i) {
    add(rendered.pages[i].path, rendered.pages[i].html, fmt::format("kStaticPage{}", i));
  }
  append_block(tables.arrays, array_text("fw::StaticPageRow", "kStaticPages", rows));
  tables.members +=
      ".static_pages = kStaticPages,\n.pages_version = " + string_literal(rendered.version) + ",\n";
  return tables;
}

std::string components_array(const Application& application, std::string_view name,
                             const std::vector<Component>& components) {
  std::string rows;
  for (const Component& component : components) rows += component_row(application, component);
  return array_text("fw::ComponentRow", name, rows);
}

std::string type_rows_array(const Application& application) {
  std::string rows;
  for (const model::UsedType& used : application.type_uses) {
    rows += fmt::format("&{},\n", type_row_name(used, application));
  }
  return array_text("fw::detail::TypeRow* const", "kTypes", rows);
}

/// The parts of the framework that the program contains for the application.
std::string features_text(const Application& application, bool has_docs_viewer) {
  const auto any_route = [&](const auto& uses) {
    return std::ranges::any_of(application.files, [&](const RouteFile& file) {
      return std::ranges::any_of(file.routes, uses);
    });
  };
  const auto declares = [](const Route& route, const char* option) {
    const auto found = route.options.find(option);
    return found != route.options.end() && *found != false;
  };
  const bool has_page_routes =
      any_route([&](const Route& route) { return declares(route, "frontend"); });
  const std::pair<std::string_view, bool> features[] = {
      {"cached_routes = &fw::detail::kCachedRoutes", has_page_routes || any_route(is_cached)},
      {"docs_viewer = &fw::detail::kDocsViewer", has_docs_viewer},
      {"mcp_tools = &fw::detail::kMcpTools",
       any_route([&](const Route& route) { return declares(route, "mcp"); })},
      {"page_rendering = &fw::detail::kPageRendering",
       has_page_routes || !application.pages.empty()},
      {"page_routes = &fw::detail::kPageRoutes", has_page_routes},
  };
  std::string members;
  for (const auto& [member, is_used] : features) {
    if (is_used) members += fmt::format(".{},\n", member);
  }
  if (members.empty()) return "constexpr fw::detail::Features kFeatures = {};\n";
  return fill(R"(
constexpr fw::detail::Features kFeatures = {
    $members$
};
)",
              {{"members", members}});
}

/// JSON as string literals, which are concatenated at run time. Each member that fits has its own
/// line, so that a change of the document changes only its lines.
class JsonLiterals {
 public:
  explicit JsonLiterals(const model::Json& json) { add(json, "", "", 0); }

  std::string take() { return std::move(text_); }

 private:
  // Compilers may limit a literal to 65,536 bytes, and adjacent literals count as one.
  static constexpr std::size_t kMaxLiteral = 32768;
  static constexpr std::size_t kMaxLine = 80;

  static std::string dump(const model::Json& json) {
    return json.dump(-1, ' ', true, model::Json::error_handler_t::replace);
  }

  void add(const model::Json& json, const std::string& before, const std::string& after,
           std::size_t depth) {
    std::string whole = dump(json);
    const bool fits = before.size() + whole.size() + after.size() <= kMaxLine;
    if (fits || !json.is_structured() || json.empty()) {
      add_line(before + whole + after, depth);
      return;
    }
    add_line(before + (json.is_array() ? '[' : '{'), depth);
    std::size_t left = json.size();
    for (const auto& [name, value] : json.items()) {
      const std::string separator = --left > 0 ? "," : "";
      add(value, json.is_array() ? "" : dump(name) + ':', separator, depth + 1);
    }
    add_line((json.is_array() ? ']' : '}') + after, depth);
  }

  void add_line(std::string_view line, std::size_t depth) {
    for (; !line.empty(); line.remove_prefix(std::min(line.size(), kMaxLiteral))) {
      const std::string_view piece = line.substr(0, kMaxLiteral);
      if (size_ + piece.size() > kMaxLiteral && size_ > 0) end_literal();
      size_ += piece.size();
      text_.append(text_.empty() ? "" : "\n").append(2 * depth, ' ').append(raw_literal(piece));
    }
  }

  void end_literal() {
    text_ += ',';
    size_ = 0;
  }

  std::string text_;
  std::size_t size_ = 0;  ///< of the current literal
};

}  // namespace

std::string emit_app_table_header(const Application& application) {
  return fill(R"(
$banner$
#pragma once

#include <fairway/generated/route_table.hpp>

/// Routes, middlewares, plugins and OpenAPI document, for fw::App::mount.
const fw::AppTable& $function$();
)",
              {{"banner", banner("//", "The application below " + application.source_name)},
               {"function", model::app_function(application.name)}});
}

std::string emit_app_table(const Application& application, const model::Json& openapi,
                           bool has_docs_viewer) {
  std::string routes;
  std::string files;
  for (std::size_t i = 0; i < application.files.size(); ++i) {
    append_block(routes, routes_array(application.files[i], i));
    files += file_row(application, application.files[i], i);
  }
  const PageTables pages = page_tables(application);
  return fill(
      R"(
$banner$
#include <$header$>

#include <string>
#include <string_view>

$exports$
$types$
$type_rows$

namespace {

$tables$

$features$

constexpr const char* kOpenApi[] = {
    $openapi$
};

std::string openapi_text() {
  std::string text;
  for (const char* const piece : kOpenApi) text += piece;
  return text;
}

}  // namespace

const fw::AppTable& $function$() {
  static const std::string openapi = openapi_text();
  static const fw::AppTable table = {
      .name = $name$,
      .files = $file_rows$,
      .middlewares = $middleware_rows$,
      .plugins = $plugin_rows$,
      .openapi = openapi,
      $page_members$
      $type_member$
      .features = &kFeatures,
  };
  return table;
}
)",
      {{"banner", banner("//", "The application below " + application.source_name)},
       {"header", app_table_header_path(application)},
       {"exports", export_declarations(application)},
       {"types", types_declarations(application)},
       {"tables", joined({routes, array_text("fw::RouteFileRow", "kFiles", files),
                          components_array(application, "kMiddlewares", application.middlewares),
                          components_array(application, "kPlugins", application.plugins),
                          pages.arrays, type_rows_array(application)})},
       {"features", features_text(application, has_docs_viewer)},
       {"page_members", pages.members},
       {"type_rows", type_row_declarations(application)},
       {"type_member", application.type_uses.empty() ? "" : ".types = kTypes,\n"},
       {"openapi", JsonLiterals(openapi).take() + ",\n"},
       {"function", model::app_function(application.name)},
       {"name", string_literal(model::app_function(application.name))},
       {"file_rows", files.empty() ? "{}" : "kFiles"},
       {"middleware_rows", application.middlewares.empty() ? "{}" : "kMiddlewares"},
       {"plugin_rows", application.plugins.empty() ? "{}" : "kPlugins"}});
}

std::string app_table_header_path(const Application& application) {
  return application.name.empty() ? "fairway/app_table.hpp"
                                  : "fairway/" + application.name + "/app_table.hpp";
}

}  // namespace fairway::emit
