#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "rules/catalogue.hpp"
#include "rules/lints.hpp"
#include "rules/nolint.hpp"

namespace fairway::rules {
namespace {

using diagnostics::SourceText;
using model::Diagnostic;
using model::Diagnostics;

constexpr std::string_view kOwnId = rules::unused_suppression.id;

std::string text_of(const std::string& file, SourceText& sources) {
  std::string text;
  for (unsigned number = 1;; ++number) {
    const std::string* line = sources.line(file, number);
    if (!line) return text;
    if (number > 1) text += '\n';
    text += *line;
  }
}

struct Suppression {
  Nolint nolint;
  std::set<std::string> used;  ///< ids of the diagnostics that it suppressed
};

class Suppressions {
 public:
  /// Reads the comments of `files` and of the files of the diagnostics.
  Suppressions(const Diagnostics& diagnostics, const std::vector<std::string>& files,
               SourceText& sources) {
    std::set<std::string> all_files(files.begin(), files.end());
    for (const Diagnostic& diagnostic : diagnostics) all_files.insert(diagnostic.range.file);
    for (const std::string& file : all_files) read(file, sources);
  }

  /// Whether a comment suppresses this finding; marks every such comment as used.
  bool silence(const Diagnostic& diagnostic) {
    const auto list = by_file_.find(diagnostic.range.file);
    if (list == by_file_.end() || !is_lint(diagnostic.id)) return false;
    bool is_silenced = false;
    for (Suppression& suppression : list->second) {
      const Nolint& nolint = suppression.nolint;
      if (nolint.target_line != diagnostic.range.line) continue;
      const bool is_named = std::ranges::any_of(nolint.names, [&](const Nolint::Name& name) {
        return current_id(name.id) == diagnostic.id;
      });
      if (!is_named && !nolint.suppresses_all) continue;
      suppression.used.insert(diagnostic.id);
      is_silenced = true;
    }
    return is_silenced;
  }

  template <class Visitor>
  void for_each(Visitor visit) const {
    for (const auto& [file, list] : by_file_) {
      for (const Suppression& suppression : list) visit(suppression);
    }
  }

 private:
  void read(const std::string& file, SourceText& sources) {
    auto& list = by_file_[file];
    for (Nolint& nolint : find_nolints(text_of(file, sources), file)) {
      list.push_back({std::move(nolint), {}});
    }
  }

  std::map<std::string, std::vector<Suppression>> by_file_;
};

Diagnostic warning(std::string message, const Nolint::Name& name, std::string help) {
  Diagnostic warning;
  warning.id = rules::unused_suppression.id;
  warning.severity = rules::unused_suppression.severity;
  warning.message = std::move(message);
  warning.range = name.range;
  warning.help = std::move(help);
  if (!name.removal.file.empty()) warning.fixes.push_back({name.removal, ""});
  return warning;
}

void report(const Suppression& suppression, bool lints_ran, Diagnostics& added) {
  for (const Nolint::Name& name : suppression.nolint.names) {
    const model::Rule* rule = find_rule(name.id);
    if (!rule || name.id == kOwnId) continue;
    if (rule->severity == model::Severity::error) {
      added.push_back(warning(fmt::format("'{}' is an error and cannot be suppressed", name.id),
                              name, "remove it, and fix the error if there is one"));
    } else if (lints_ran && !suppression.used.contains(std::string(rule->id))) {
      added.push_back(warning(fmt::format("NOLINT suppresses no '{}' on line {}", name.id,
                                          suppression.nolint.target_line),
                              name, "remove it"));
    }
  }
}

}  // namespace

void remove_suppressed(Diagnostics& diagnostics, SourceText& sources) {
  Suppressions suppressions(diagnostics, {}, sources);
  std::erase_if(diagnostics, [&](const Diagnostic& each) { return suppressions.silence(each); });
}

void apply_suppressions(Diagnostics& diagnostics, const std::vector<std::string>& files,
                        SourceText& sources, bool lints_ran) {
  Suppressions suppressions(diagnostics, files, sources);
  const auto silence = [&](const Diagnostic& diagnostic) {
    return suppressions.silence(diagnostic);
  };
  std::erase_if(diagnostics, silence);
  Diagnostics added;
  suppressions.for_each([&](const Suppression& each) { report(each, lints_ran, added); });
  std::erase_if(added, silence);
  // These warnings can be suppressed, too. Only now is it known whether a suppression of them was
  // used.
  suppressions.for_each([&](const Suppression& each) {
    if (each.used.contains(std::string(kOwnId))) return;
    for (const Nolint::Name& name : each.nolint.names) {
      if (name.id != kOwnId || !lints_ran) continue;
      added.push_back(warning(
          fmt::format("NOLINT suppresses no '{}' on line {}", kOwnId, each.nolint.target_line),
          name, "remove it"));
    }
  });
  diagnostics.insert(diagnostics.end(), added.begin(), added.end());
}

}  // namespace fairway::rules
