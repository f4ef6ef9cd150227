// fairway diff: what has changed between two documents, and whom it breaks.
#include <fmt/format.h>

#include <array>
#include <iostream>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "diff/catalogue.hpp"
#include "diff/compare.hpp"
#include "diff/comparison.hpp"
#include "files/whole_file.hpp"
#include "schema/suggest.hpp"

namespace fairway::cli {
namespace {

constexpr std::array<std::string_view, 2> kDiffFormats = {"text", "json"};
constexpr std::array<Option, 4> kChangeOptions = {{
    {"--approve", "FILE", "changes that are meant and do not fail; may be repeated"},
    {"--write-approvals", "FILE", "write a file that approves the present breaking changes"},
    {"--list-changes", "", "print every kind of change with its id and level"},
    {"--explain", "ID", "explain a kind of change, with an example"},
}};
constexpr std::array<Option, 3> kDiffReportOptions = {{
    {"--format", "FORMAT", "text (default) or json", kDiffFormats},
    {"--color", "WHEN", "auto (default), always or never; NO_COLOR is honoured", kColorChoices},
    {"--help", "", "show this help"},
}};
constexpr std::array<OptionGroup, 2> kGroups = {
    {{"Changes", kChangeOptions}, {"Report", kDiffReportOptions}}};

int list_changes() {
  for (const diff::ChangeKind& kind : diff::catalogue()) {
    std::cout << fmt::format("{:<38} {:<13} {}\n", kind.id, diff::level_name(kind.level),
                             kind.rule);
  }
  return kClean;
}

int explain(const std::string& id, bool as_json) {
  const diff::ChangeKind* kind = diff::find_change(id);
  if (kind == nullptr) {
    std::vector<std::string_view> ids;
    for (const diff::ChangeKind& each : diff::catalogue()) ids.push_back(each.id);
    const std::string near = fw::schema::did_you_mean(id, ids);
    throw UsageError(fmt::format("there is no change '{}'{}", id,
                                 near.empty() ? ": see 'fairway diff --list-changes'" : near));
  }
  if (as_json) {
    const diff::Json description = {{"version", 1},
                                    {"id", kind->id},
                                    {"level", diff::level_name(kind->level)},
                                    {"rule", kind->rule},
                                    {"explanation", kind->explanation},
                                    {"before", diff::example_document(*kind, diff::Side::before)},
                                    {"after", diff::example_document(*kind, diff::Side::after)}};
    std::cout << description.dump(2) << '\n';
    return kClean;
  }
  std::cout << fmt::format("{} ({})\n\n{}\n\n{}\n\nExample:\n\n  before  {}\n  after   {}\n",
                           kind->id, diff::level_name(kind->level), kind->rule, kind->explanation,
                           kind->before, kind->after);
  return kClean;
}

diff::Approvals read_approvals(const Arguments& arguments) {
  diff::Approvals all;
  for (const std::string& file : arguments.all("--approve")) {
    const auto text = files::read_file(file);
    if (!text) throw diff::BadDocument(fmt::format("cannot read the approvals '{}'", file));
    const auto approvals = diff::parse_approvals(file, *text);
    all.insert(all.end(), approvals.begin(), approvals.end());
  }
  return all;
}

}  // namespace

std::string diff_help() {
  return "Usage: fairway diff [options] OLD NEW\n\n"
         "Compares two OpenAPI documents (3.0 or 3.1, JSON) or two routes.manifest.json, and tells "
         "breaking\nchanges from others: for requests and for responses each in its direction.\n" +
         render_options(kGroups) +
         "\nExit status: 0 no breaking change that is not approved, 1 breaking changes, 2 wrong "
         "usage or\ninput that cannot be compared.\n";
}

int run_diff(std::span<const std::string> words) {
  const Arguments arguments(words, kGroups, Arguments::Operands::any);
  const bool as_json = arguments.get("--format", "text") == "json";
  if (arguments.has("--list-changes")) return list_changes();
  if (arguments.has("--explain")) return explain(arguments.get("--explain"), as_json);
  const auto& operands = arguments.operands();
  if (operands.size() != 2 || !arguments.rest().empty()) {
    throw UsageError("two documents are compared: fairway diff OLD NEW");
  }
  const diff::Document before = diff::read_document(operands[0]);
  const diff::Document after = diff::read_document(operands[1]);
  diff::Comparison comparison{.old_name = operands[0],
                              .new_name = operands[1],
                              .changes = diff::compare_documents(before, after),
                              .unused = {}};
  comparison.unused = diff::apply_approvals(read_approvals(arguments), comparison.changes);
  diff::sort_changes(comparison.changes);
  if (arguments.has("--write-approvals")) {
    files::replace_file(arguments.get("--write-approvals"),
                        diff::write_approvals(comparison.changes));
  }
  std::cout << (as_json ? diff::render_json(comparison)
                        : diff::render_text(comparison, use_color(arguments, STDOUT_FILENO)));
  return comparison.ok() ? kClean : kFindings;
}

}  // namespace fairway::cli
