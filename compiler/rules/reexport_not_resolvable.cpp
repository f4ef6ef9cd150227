#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/source_rules.hpp"
#include "rules/application_rules.hpp"

namespace fairway::rules {
namespace {

using model::ParsedFile;

void report_missing(const ParsedFile& file, const std::string& target, Reporter& reporter) {
  std::string help =
      "the path is relative to this file and includes the extension, for example \"../users.cpp\"";
  if (!target.ends_with(".cpp")) help = fmt::format("write \"{}.cpp\"", file.reexport_target);
  reporter.report(model::rules::reexport_not_resolvable,
                  fmt::format("there is no route file '{}'", target), file.export_range,
                  std::move(help));
}

// A cycle is reported once, for its first file by path.
void report_cycle(const ParsedFile& file, const std::vector<const ParsedFile*>& chain,
                  Reporter& reporter) {
  const auto first = std::ranges::min_element(chain, {}, &ParsedFile::path);
  if (*first != &file) return;
  auto& error = reporter.report(model::rules::reexport_not_resolvable,
                                "re-exports lead back to this file", file.export_range,
                                "export the routes of one of these files with 'fw::define_routes'");
  for (const ParsedFile* link : chain) {
    if (link != &file) error.notes.push_back({"re-exported from here", link->export_range});
  }
}

}  // namespace

void check_reexports(const ParsedFile& file, const resolve::Reexports& reexports,
                     Reporter& reporter) {
  if (reexports.is_cycle) report_cycle(file, reexports.chain, reporter);
  if (!reexports.missing_target.empty() && reexports.chain.size() == 1) {
    report_missing(file, reexports.missing_target, reporter);
  }
}

}  // namespace fairway::rules
