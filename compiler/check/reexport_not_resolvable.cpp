#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "check/file_rules.hpp"
#include "model/source_rules.hpp"

namespace fairway::check {
namespace {

using model::ExportKind;
using model::ParsedFile;

std::string target_path(const ParsedFile& file) {
  const auto folder = std::filesystem::path(file.path).parent_path();
  return (folder / file.reexport_target).lexically_normal().generic_string();
}

void report_missing(const ParsedFile& file, const std::string& target, Reporter& reporter) {
  std::string help =
      "the path is relative to this file and includes the extension, for example \"../users.cpp\"";
  if (!target.ends_with(".cpp")) help = fmt::format("write \"{}.cpp\"", file.reexport_target);
  reporter.report(rules::reexport_not_resolvable,
                  fmt::format("there is no route file '{}'", target), file.export_range,
                  std::move(help));
}

// A cycle is reported once, for its first file by path.
void report_cycle(const ParsedFile& file, const std::vector<const ParsedFile*>& chain,
                  Reporter& reporter) {
  const auto first = std::ranges::min_element(chain, {}, &ParsedFile::path);
  if (*first != &file) return;
  auto& error = reporter.report(rules::reexport_not_resolvable, "re-exports lead back to this file",
                                file.export_range,
                                "export the routes of one of these files with 'fw::define_routes'");
  for (const ParsedFile* link : chain) {
    if (link != &file) error.notes.push_back({"re-exported from here", link->export_range});
  }
}

}  // namespace

const ParsedFile* exporting_file(const ParsedFile& file, const FileIndex& files,
                                 Reporter& reporter) {
  std::vector<const ParsedFile*> chain;
  const ParsedFile* current = &file;
  while (current->export_kind == ExportKind::reexport) {
    const auto seen = std::ranges::find(chain, current);
    if (seen != chain.end()) {
      if (seen == chain.begin()) report_cycle(file, chain, reporter);
      return nullptr;
    }
    chain.push_back(current);
    const std::string target = target_path(*current);
    const auto found = files.find(target);
    const bool is_route_file =
        found != files.end() && role_of(found->second->path) == FileRole::route;
    if (!is_route_file) {
      if (current == &file) report_missing(file, target, reporter);
      return nullptr;
    }
    current = found->second;
  }
  // A target without routes is reported for its own file.
  return current->export_kind == ExportKind::routes ? current : nullptr;
}

}  // namespace fairway::check
