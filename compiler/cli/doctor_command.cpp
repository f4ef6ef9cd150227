// fairway doctor: checks the routes and reports errors and warnings.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "base/strings.hpp"
#include "base/suggest.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/doctor_record.hpp"
#include "cli/project.hpp"
#include "cli/report_findings.hpp"
#include "cli/settings.hpp"
#include "cli/source_tree.hpp"
#include "diagnostics/source_text.hpp"
#include "rules/catalogue.hpp"
#include "rules/lints.hpp"
#include "rules/settings_rules.hpp"

namespace fairway::cli {
namespace {

struct DoctorOptions {
  ProjectOptions project;
  bool fix = false;
  bool strict = false;
  bool all = false;
  LintOptions lints;
  bool list_rules = false;
  std::optional<std::string> explain;
  ReportOptions report;
};

std::string_view severity_name(model::Severity severity) {
  return severity == model::Severity::error ? "error" : "warning";
}

int list_rules() {
  for (const model::Rule& rule : rules::catalogue()) {
    std::cout << fmt::format("{:<28} {:<8} {}\n", rule.id, severity_name(rule.severity), rule.rule);
  }
  return kClean;
}

int explain(const std::string& id) {
  const model::Rule* rule = rules::find_rule(id);
  if (rule == nullptr) {
    std::vector<std::string_view> ids;
    for (const model::Rule& each : rules::catalogue()) ids.push_back(each.id);
    const std::string near = fw::base::did_you_mean(id, ids);
    throw UsageError(
        fmt::format("--explain must be the id of a rule, not '{}'{}", id,
                    near.empty() ? ": 'fairway doctor --list-rules' lists them" : near));
  }
  std::cout << fmt::format("{} ({})\n\n{}\n\n{}\n", rule->id, severity_name(rule->severity),
                           rule->rule, rule->explanation);
  if (!rule->example.empty()) std::cout << fmt::format("\nExample:\n\n{}\n", rule->example);
  return kClean;
}

diagnostics::Report inspect(const DoctorOptions& options, const rules::LintSettings& settings) {
  const std::filesystem::path& config = options.lints.app_config;
  const model::Diagnostics found = check_settings_files(config, options.project.source_dir);
  // Lints do not depend on a configuration with errors.
  const std::string config_name =
      config.empty() ? "" : display_path(std::filesystem::absolute(config).lexically_normal());
  const bool is_valid = std::ranges::none_of(found, [&](const model::Diagnostic& error) {
    return error.id == rules::bad_configuration.id && error.range.file == config_name;
  });
  const model::AppSettings app =
      is_valid ? options.lints.document_options().settings : model::AppSettings();
  const ProjectReader reader(options.project);
  const auto record = [&] { return DoctorRecord(reader, options.project, config, app); };
  auto report = record().load();
  if (!report) {
    Project project = reader.read();
    diagnostics::FileSourceText sources;
    add_lints(project, app, sources);
    report = std::move(project.report);
    record().store(*report);
  }
  report->diagnostics.insert(report->diagnostics.end(), found.begin(), found.end());
  settings.apply(report->diagnostics);
  diagnostics::sort_diagnostics(report->diagnostics);
  return std::move(*report);
}

/// As text, findings about documentation are summarized.
int report_all(const diagnostics::Report& report, const DoctorOptions& options) {
  if (options.all || options.report.format != DiagnosticsFormat::text) {
    return report_findings(report, options.report, std::cout);
  }
  diagnostics::Report summary = report;
  summary.diagnostics = rules::summarized(report.diagnostics);
  const int status = report_findings(summary, options.report, std::cout);
  if (summary.diagnostics.size() < report.diagnostics.size()) {
    std::cerr << fmt::format("'--all' lists each of the {} findings\n", report.diagnostics.size());
  }
  return status;
}

int run(const DoctorOptions& options) {
  if (options.list_rules) return list_rules();
  if (options.explain) return explain(*options.explain);
  const rules::LintSettings settings = options.lints.settings(options.project.source_dir);
  diagnostics::Report report = inspect(options, settings);
  if (options.fix && make_repairs(report.diagnostics, options.project.source_dir)) {
    report = inspect(options, settings);
  }
  int status = report_all(report, options);
  if (options.strict && report.warnings() > 0) status = kFindings;
  if (report.diagnostics.empty() && options.report.format == DiagnosticsFormat::text) {
    std::cout << fmt::format("{} in {}, no findings\n", fw::base::counted(report.routes, "route"),
                             fw::base::counted(report.route_files, "file"));
  }
  return status;
}

}  // namespace

void declare_doctor(Command& command) {
  const auto options = std::make_shared<DoctorOptions>();
  command.synopsis = "[options] [-- FLAGS]";
  command.description =
      "Checks all route files and the JSON files of config/ and locales/ beside the source "
      "directory, and reports errors and warnings, as text on standard error or in "
      "another format on standard output. Changes no file without --fix.";
  command.notes =
      "Settings (.fairway.json):\n"
      "  {\"lints\": {\"missing-docs-summary\": \"off\", \"shadowed-route\": \"error\",\n"
      "             \"*\": \"warning\"}}\n"
      "  A lint is \"off\", a \"warning\" or an \"error\". \"*\" applies to all lints that\n"
      "  are not listed.\n"
      "\nComments in route files:\n"
      "  // NOLINT(ID, ...)          suppresses lints on this line\n"
      "  // NOLINTNEXTLINE(ID, ...)  suppresses lints on the next line\n";
  command.examples = {
      {"fairway doctor -p build", "check src/ with the flags of build/compile_commands.json"},
      {"fairway doctor --fix --strict", "apply safe fixes; fail if a warning remains"},
      {"fairway doctor --explain duplicate-route", "explain a rule"},
      {"fairway doctor --diagnostics-format sarif > fairway.sarif",
       "write SARIF for code scanning"}};
  command.clean = "no errors; with --strict, no warnings either";
  command.findings = "errors in the routes; with --strict, errors or warnings";
  options->project.declare(command);
  const OptionGroup rules = command.group("Rules");
  rules.flag("--fix", options->fix, "apply safe fixes, then report what remains");
  rules.flag("--all", options->all, "list each finding about documentation, not one line a file");
  rules.flag("--strict", options->strict, "exit with status 1 if there are warnings");
  options->lints.declare(rules);
  rules.flag("--list-rules", options->list_rules, "list every rule with its id and severity");
  rules.text("--explain", "ID", options->explain,
             "explain a rule, with an example that violates it");
  options->report.declare(command, options->project);
  options->report.declare_old_spelling(command);
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
