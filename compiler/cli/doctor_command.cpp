// fairway doctor: checks the routes and reports errors and warnings.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>

#include "base/counted.hpp"
#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "project/project.hpp"
#include "project/settings.hpp"
#include "rules/catalogue.hpp"
#include "rules/lints.hpp"

namespace fairway::cli {
namespace {

struct DoctorOptions {
  project::ProjectOptions project;
  bool fix = false;
  bool strict = false;
  bool all = false;
  project::LintOptions lints;
  bool list_rules = false;
  std::optional<std::string> explain;
  ReportOptions report;
};

int list_rules() {
  for (const model::Rule& rule : rules::catalogue()) {
    std::cout << fmt::format("{:<28} {:<8} {}\n", rule.id, model::name_of(rule.severity),
                             rule.rule);
  }
  return command::kClean;
}

int explain(const std::string& id) {
  const model::Rule* rule = rules::find_rule(id);
  if (rule == nullptr) {
    const std::string near = rules::near_rule(id);
    throw command::UsageError(
        fmt::format("--explain must be the id of a rule, not '{}'{}", id,
                    near.empty() ? ": 'fairway doctor --list-rules' lists them" : near));
  }
  std::cout << rules::explanation_of(*rule);
  return command::kClean;
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
  const auto inspect = [&] { return project::inspect(options.project, options.lints, settings); };
  diagnostics::Report report = inspect();
  if (options.fix) make_repairs(report, options.project.source_dir, inspect);
  int status = report_all(report, options);
  if (options.strict && report.warnings() > 0) status = command::kFindings;
  if (report.diagnostics.empty() && options.report.format == DiagnosticsFormat::text) {
    std::cout << fmt::format("{} in {}, no findings\n", fw::base::counted(report.routes, "route"),
                             fw::base::counted(report.route_files, "file"));
  }
  return status;
}

}  // namespace

void declare_doctor(command::Command& command) {
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
  const command::OptionGroup rules = command.group("Rules");
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
