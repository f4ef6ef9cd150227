// fairway doctor: resolve everything, write nothing, report.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <utility>

#include "check/lint.hpp"
#include "check/lints.hpp"
#include "check/unsupported_option.hpp"
#include "check/unused_suppression.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/doctor_record.hpp"
#include "cli/project.hpp"
#include "cli/repair.hpp"
#include "cli/report_findings.hpp"
#include "cli/settings.hpp"
#include "diagnostics/catalogue.hpp"
#include "diagnostics/source_text.hpp"
#include "diagnostics/text_renderer.hpp"
#include "schema/suggest.hpp"

namespace fairway::cli {
namespace {

constexpr std::array<Option, 6> kDoctorOptions = {{
    {"--fix", "", "apply the repairs that are certain, then report what remains"},
    {"--strict", "", "warnings fail too"},
    {"--config", "FILE",
     "settings file; default: the nearest .fairway.json at or above the sources"},
    {"--no-config", "", "use no settings file: every lint is a warning"},
    {"--list-rules", "", "print every rule with its id and severity"},
    {"--explain", "ID", "explain a rule, with an example that breaks it"},
}};
constexpr std::array<OptionGroup, 4> kGroups = {{{"Sources", kSourceOptions},
                                                 {"Compiler flags", kFlagOptions},
                                                 {"Rules", kDoctorOptions},
                                                 {"Report", kReportOptions}}};

std::string_view severity_name(model::Severity severity) {
  return severity == model::Severity::error ? "error" : "warning";
}

int list_rules() {
  for (const diagnostics::Rule& rule : diagnostics::catalogue()) {
    std::cout << fmt::format("{:<28} {:<8} {}\n", rule.id, severity_name(rule.severity), rule.rule);
  }
  return kClean;
}

int explain(const std::string& id) {
  const diagnostics::Rule* rule = diagnostics::find_rule(id);
  if (rule == nullptr) {
    std::vector<std::string_view> ids;
    for (const diagnostics::Rule& each : diagnostics::catalogue()) ids.push_back(each.id);
    const std::string near = fw::schema::did_you_mean(id, ids);
    throw UsageError(fmt::format("there is no rule '{}'{}", id,
                                 near.empty() ? ": see 'fairway doctor --list-rules'" : near));
  }
  std::cout << fmt::format("{} ({})\n\n{}\n\n{}\n", rule->id, severity_name(rule->severity),
                           rule->rule, rule->explanation);
  if (!rule->example.empty()) std::cout << fmt::format("\nExample:\n\n{}\n", rule->example);
  return kClean;
}

/// Whether the routes are known completely: an option that is not implemented is resolved like
/// others.
bool is_complete(const model::Diagnostics& diagnostics) {
  return std::ranges::all_of(diagnostics, [](const model::Diagnostic& each) {
    return each.severity != model::Severity::error || each.id == check::kUnsupportedOption;
  });
}

/// Lints build on what was resolved: errors come first.
diagnostics::Report findings(const ProjectReader& reader) {
  Project project = reader.read();
  auto& all = project.report.diagnostics;
  const bool is_resolved = is_complete(all);
  if (is_resolved) {
    auto warnings = check::lint(project.application, project.parsed);
    all.insert(all.end(), warnings.begin(), warnings.end());
  }
  check::lint_ignored_route_files(project.ignored_files, all);
  std::vector<std::string> files;
  for (const model::ParsedFile& file : project.parsed) files.push_back(file.display_path);
  diagnostics::FileSourceText sources;
  check::apply_suppressions(all, files, sources, is_resolved);
  return std::move(project.report);
}

diagnostics::Report inspect(const Arguments& arguments, const check::LintSettings& settings) {
  const ProjectReader reader(arguments);
  auto report = DoctorRecord(reader, arguments).load();
  if (!report) {
    report = findings(reader);
    DoctorRecord(reader, arguments).store(*report);
  }
  settings.apply(report->diagnostics);
  diagnostics::sort_diagnostics(report->diagnostics);
  return std::move(*report);
}

}  // namespace

std::string doctor_help() {
  return "Usage: fairway doctor [options] [-- flags]\n\n"
         "Resolves every route and reports errors and warnings. Writes nothing without --fix.\n" +
         render_options(kGroups) +
         "\nSettings (.fairway.json):\n"
         "  {\"lints\": {\"missing-docs-summary\": \"off\", \"shadowed-route\": \"error\", \"*\": "
         "\"warning\"}}\n"
         "  A lint is \"off\", a \"warning\" or an \"error\"; \"*\" stands for those not named.\n"
         "\nComments:\n"
         "  // NOLINT(ID, ...) suppresses lints of its line, // NOLINTNEXTLINE(ID, ...) of the "
         "next "
         "one.\n";
}

int run_doctor(std::span<const std::string> words) {
  const Arguments arguments(words, kGroups);
  if (arguments.has("--list-rules")) return list_rules();
  if (arguments.has("--explain")) return explain(arguments.get("--explain"));
  const check::LintSettings settings = read_settings(arguments);
  diagnostics::Report report = inspect(arguments, settings);
  if (arguments.has("--fix") && make_repairs(report.diagnostics, arguments)) {
    report = inspect(arguments, settings);
  }
  int status = report_findings(report, arguments, std::cout);
  if (arguments.has("--strict") && report.warnings() > 0) status = kFindings;
  if (report.diagnostics.empty() && arguments.get("--format", "text") == "text") {
    std::cout << fmt::format("{} in {}, nothing to report\n",
                             diagnostics::counted(report.routes, "route"),
                             diagnostics::counted(report.files, "file"));
  }
  return status;
}

}  // namespace fairway::cli
