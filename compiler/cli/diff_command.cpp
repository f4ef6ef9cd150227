// fairway diff: reports the changes between two documents, and which of them break clients, or
// dashboards.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <unistd.h>

#include "base/suggest.hpp"
#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "diff/change_catalogue.hpp"
#include "diff/comparison.hpp"
#include "diff/comparisons.hpp"
#include "emit/openapi.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

enum class DiffFormat { text, json };

constexpr std::array<command::Choice<DiffFormat>, 2> kDiffFormats = {
    {{"text", DiffFormat::text}, {"json", DiffFormat::json}}};

struct DiffOptions {
  std::string before;
  std::string after;
  std::vector<std::string> approvals;
  std::filesystem::path new_approvals;
  bool list_changes = false;
  std::optional<std::string> explain;
  DiffFormat format = DiffFormat::text;
  Color color = Color::automatic;
};

/// What `fairway diff` prints for the example of a row: the operation, and the change.
std::string example_report(const diff::Document& before, const diff::Document& after) {
  const std::string text = diff::render_text({.old_name = before.name(),
                                              .new_name = after.name(),
                                              .changes = diff::compare_documents(before, after),
                                              .unused = {}},
                                             false);
  return text.substr(0, text.find("\n\n"));  // without the summary
}

diff::Json describe(const diff::ChangeKind& kind) {
  const diff::Document before = diff::example_document(kind, diff::Side::before);
  const diff::Document after = diff::example_document(kind, diff::Side::after);
  return {{"id", kind.id},
          {"level", diff::level_name(kind.level)},
          {"rule", kind.rule},
          {"explanation", kind.explanation},
          {"example", {{"before", kind.before}, {"after", kind.after}}},
          {"before", *before.root().value},
          {"after", *after.root().value},
          {"report", example_report(before, after)}};
}

int list_changes(bool as_json) {
  if (as_json) {
    diff::Json rows = diff::Json::array();
    for (const diff::ChangeKind& kind : diff::catalogue()) rows.push_back(describe(kind));
    std::cout << diff::Json{{"version", 1}, {"changes", std::move(rows)}}.dump(2) << '\n';
    return command::kClean;
  }
  for (const diff::ChangeKind& kind : diff::catalogue()) {
    std::cout << fmt::format("{:<38} {:<13} {}\n", kind.id, diff::level_name(kind.level),
                             kind.rule);
  }
  return command::kClean;
}

int explain(const std::string& id, bool as_json) {
  const diff::ChangeKind* kind = diff::find_change(id);
  if (kind == nullptr) {
    std::vector<std::string_view> ids;
    for (const diff::ChangeKind& each : diff::catalogue()) ids.push_back(each.id);
    const std::string near = fw::base::did_you_mean(id, ids);
    throw command::UsageError(
        fmt::format("--explain must be the id of a change, not '{}'{}", id,
                    near.empty() ? ": 'fairway diff --list-changes' lists them" : near));
  }
  if (as_json) {
    diff::Json description = {{"version", 1}};
    description.update(describe(*kind));
    std::cout << description.dump(2) << '\n';
    return command::kClean;
  }
  std::cout << fmt::format("{} ({})\n\n{}\n\n{}\n\nExample:\n\n  before  {}\n  after   {}\n",
                           kind->id, diff::level_name(kind->level), kind->rule, kind->explanation,
                           kind->before, kind->after);
  return command::kClean;
}

diff::Approvals read_approvals(const std::vector<std::string>& files) {
  diff::Approvals all;
  for (const std::string& file : files) {
    const auto text = files::read_file(file);
    if (!text) throw command::UsageError(fmt::format("--approve: cannot read '{}'", file));
    const auto approvals = diff::parse_approvals(file, *text);
    all.insert(all.end(), approvals.begin(), approvals.end());
  }
  return all;
}

int run(const DiffOptions& options) {
  const bool as_json = options.format == DiffFormat::json;
  if (options.list_changes) return list_changes(as_json);
  if (options.explain) return explain(*options.explain, as_json);
  if (options.after.empty()) {
    throw command::UsageError("two documents are required: write 'fairway diff OLD NEW'");
  }
  const diff::Document before = diff::read_document(options.before, emit::default_openapi_document);
  const diff::Document after = diff::read_document(options.after, emit::default_openapi_document);
  diff::Comparison comparison{.old_name = options.before,
                              .new_name = options.after,
                              .changes = diff::compare_documents(before, after),
                              .unused = {}};
  comparison.unused = diff::apply_approvals(read_approvals(options.approvals), comparison.changes);
  diff::sort_changes(comparison.changes);
  if (!options.new_approvals.empty()) {
    files::replace_file(options.new_approvals, diff::write_approvals(comparison.changes));
  }
  std::cout << (as_json ? diff::render_json(comparison)
                        : diff::render_text(comparison, use_color(options.color, STDOUT_FILENO)));
  return comparison.ok() ? command::kClean : command::kFindings;
}

}  // namespace

void declare_diff(command::Command& command) {
  const auto options = std::make_shared<DiffOptions>();
  command.operand("OLD", options->before);
  command.operand("NEW", options->after);
  command.synopsis = "[options] OLD NEW";
  command.description =
      "Compares two OpenAPI documents (3.0 to 3.2, JSON or YAML) or two routes.manifest.json "
      "files, and reports which changes break clients. Of two lists that 'fairway observe metrics' "
      "has written, it reports which changes break dashboards and alerts.";
  command.examples = {
      {"fairway diff released.json openapi.json", "compare a document with the released one"},
      {"fairway diff <(git show main:openapi.yaml) openapi.yaml",
       "compare a document with another branch"},
      {"fairway diff released.metrics.json <(fairway observe metrics -p build)",
       "compare the metrics of a build with the released ones"},
      {"fairway diff old.json new.json --write-approvals approved.json",
       "approve the current breaking changes"},
      {"fairway diff old.json new.json --approve approved.json",
       "fail only on breaking changes that are not approved"}};
  command.clean = "no breaking changes, or only approved ones";
  command.findings = "breaking changes";
  const command::OptionGroup changes = command.group("Changes");
  changes.list("--approve", "FILE", options->approvals,
               "file with approved changes, which do not affect the exit status; may be repeated");
  changes.path("--write-approvals", "FILE", options->new_approvals,
               "write a file that approves the current breaking changes");
  changes.flag("--list-changes", options->list_changes,
               "list all kinds of changes with their ids and levels");
  changes.text("--explain", "ID", options->explain, "explain a kind of change, with an example");
  const command::OptionGroup report = command.group("Report");
  report.choice("--format", "FORMAT", options->format, kDiffFormats, "text (default) or json");
  declare_color(report, options->color);
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
