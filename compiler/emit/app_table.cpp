#include "emit/app_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emit/cpp_names.hpp"
#include "emit/source_parts.hpp"
#include "emit/template.hpp"

namespace fairway::emit {
namespace {

using model::Application;
using model::Route;
using model::RouteFile;
using model::Unit;

std::string shown_path(const Application& application, const std::string& path) {
  return string_literal(application.source_name + "/" + path);
}

std::string export_declarations(const Application& application) {
  std::set<std::string> paths;
  for (const RouteFile& file : application.files) paths.insert(file.export_path);
  for (const Unit& unit : application.middlewares) paths.insert(unit.path);
  for (const Unit& unit : application.plugins) paths.insert(unit.path);
  std::string text;
  for (const std::string& path : paths) {
    text +=
        fmt::format("extern const fw::DefaultExport {};\n", export_name(path, application.name));
  }
  return text;
}

std::string route_row(const Route& route) {
  return fmt::format("{{{}, {}, {}, {}, {:#018x}U, {}}},\n", string_literal(route.method),
                     string_literal(route.subpath), string_literal(route.path),
                     string_literal(route.operation_id), route.fingerprint, route.range.line);
}

std::string routes_array(const RouteFile& file, std::size_t index) {
  if (file.routes.empty()) return {};
  std::string rows;
  for (const Route& route : file.routes) rows += route_row(route);
  return fill(R"(
// Method, subpath, path, operation id, fingerprint of the contract, line.
constexpr fw::RouteRow kRoutes$index$[] = {
    $rows$
};
)",
              {{"index", std::to_string(index)}, {"rows", rows}});
}

std::string file_row(const Application& application, const RouteFile& file, std::size_t index) {
  return fmt::format("{{{}, {}, &{}, {}}},\n", shown_path(application, file.path),
                     string_literal(file.prefix), export_name(file.export_path, application.name),
                     file.routes.empty() ? "{}" : "kRoutes" + std::to_string(index));
}

std::string unit_row(const Application& application, const Unit& unit) {
  return fmt::format("{{{}, {}, &{}}},\n", string_literal(unit.name),
                     shown_path(application, unit.path), export_name(unit.path, application.name));
}

// An array of rows, or nothing: C++ has no empty arrays.
std::string array_text(std::string_view type, std::string_view name, const std::string& rows) {
  if (rows.empty()) return {};
  return fill(R"(
const $type$ $name$[] = {
    $rows$
};
)",
              {{"type", std::string(type)}, {"name", std::string(name)}, {"rows", rows}});
}

std::string units_array(const Application& application, std::string_view name,
                        const std::vector<Unit>& units) {
  std::string rows;
  for (const Unit& unit : units) rows += unit_row(application, unit);
  return array_text("fw::UnitRow", name, rows);
}

// The document as elements of an array of texts: compilers need not take a literal of more than
// 65,536 bytes.
std::string text_pieces(const std::string& text) {
  constexpr std::size_t kPiece = 32768;
  constexpr std::size_t kLine = 80;
  std::string pieces;
  for (std::size_t begin = 0; begin < text.size(); begin += kPiece) {
    const std::string_view piece = std::string_view(text).substr(begin, kPiece);
    for (std::size_t at = 0; at < piece.size(); at += kLine) {
      pieces += string_literal(piece.substr(at, kLine));
      pieces += at + kLine < piece.size() ? "\n" : ",\n";
    }
  }
  return pieces;
}

}  // namespace

std::string emit_app_table_header(const Application& application) {
  return fill(R"(
$banner$
#pragma once

#include <fairway/route_table.hpp>

/// Routes, middlewares, plugins and OpenAPI document, for fw::App::mount.
const fw::AppTable& $function$();
)",
              {{"banner", banner("//", "The application below " + application.source_name)},
               {"function", app_function(application.name)}});
}

std::string emit_app_table(const Application& application, const model::Json& openapi) {
  std::string routes;
  std::string files;
  for (std::size_t i = 0; i < application.files.size(); ++i) {
    append_block(routes, routes_array(application.files[i], i));
    files += file_row(application, application.files[i], i);
  }
  return fill(
      R"(
$banner$
#include <$header$>

#include <string>
#include <string_view>

$exports$

namespace {

$tables$

constexpr std::string_view kOpenApi[] = {
    $openapi$
};

std::string openapi_text() {
  std::string text;
  for (const std::string_view piece : kOpenApi) text += piece;
  return text;
}

}  // namespace

const fw::AppTable& $function$() {
  static const std::string openapi = openapi_text();
  static const fw::AppTable table = {
      $name$, $file_rows$, $middleware_rows$, $plugin_rows$, openapi,
  };
  return table;
}
)",
      {{"banner", banner("//", "The application below " + application.source_name)},
       {"header", app_table_header_path(application)},
       {"exports", export_declarations(application)},
       {"tables", joined({routes, array_text("fw::RouteFileRow", "kFiles", files),
                          units_array(application, "kMiddlewares", application.middlewares),
                          units_array(application, "kPlugins", application.plugins)})},
       {"openapi", text_pieces(openapi.dump(-1, ' ', true, model::Json::error_handler_t::replace))},
       {"function", app_function(application.name)},
       {"name", string_literal(app_function(application.name))},
       {"file_rows", files.empty() ? "{}" : "kFiles"},
       {"middleware_rows", application.middlewares.empty() ? "{}" : "kMiddlewares"},
       {"plugin_rows", application.plugins.empty() ? "{}" : "kPlugins"}});
}

std::string app_table_header_path(const Application& application) {
  return application.name.empty() ? "fairway/app_table.hpp"
                                  : "fairway/" + application.name + "/app_table.hpp";
}

}  // namespace fairway::emit
