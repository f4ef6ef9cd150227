// [no-default-export], [not-a-route-definition]
#include <fmt/format.h>

#include <string_view>

#include "model/source_rules.hpp"
#include "rules/application_rules.hpp"

namespace fairway::rules {
namespace {

using model::ExportKind;
using resolve::FileRole;

struct Expectation {
  ExportKind kind;
  std::string_view file;
  std::string_view function;
  std::string_view argument;
};

Expectation expectation_of(FileRole role) {
  if (role == FileRole::middleware) {
    return {ExportKind::middleware, "middleware file", "fw::define_middleware",
            "[](fw::Request& req, fw::Response& res, fw::Next next) { … }"};
  }
  if (role == FileRole::plugin) {
    return {ExportKind::plugin, "plugin file", "fw::define_plugin", "{ … }"};
  }
  return {ExportKind::routes, "route file", "fw::define_routes", "[](fw::Router& app) { … }"};
}

}  // namespace

void check_export_kind(const model::ParsedFile& file, Reporter& reporter) {
  const FileRole role = resolve::role_of(file.path);
  if (role == FileRole::other) return;
  const Expectation expected = expectation_of(role);
  const bool is_reexported_route =
      role == FileRole::route && file.export_kind == ExportKind::reexport;
  if (file.export_kind == expected.kind || is_reexported_route) return;
  if (file.export_kind == ExportKind::none && !file.diagnostics.empty()) return;
  model::Range range = file.export_range;
  if (range.file.empty()) range.file = file.display_path;
  const std::string help =
      fmt::format("write 'FW_EXPORT_DEFAULT = {}({});'", expected.function, expected.argument);
  if (file.export_kind == ExportKind::none) {
    reporter.report(model::rules::no_default_export,
                    fmt::format("this {} has no default export", expected.file), range, help);
  } else {
    reporter.report(model::rules::not_a_route_definition,
                    fmt::format("the default export of a {} must be the result of '{}'",
                                expected.file, expected.function),
                    range, help);
  }
}

}  // namespace fairway::rules
