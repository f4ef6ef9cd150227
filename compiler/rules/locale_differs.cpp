// [locale-differs]
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.hpp"
#include "base/json_text.hpp"
#include "rules/lints.hpp"
#include "rules/settings_rules.hpp"

namespace fairway::rules {
namespace {

constexpr std::size_t kMaxNames = 5;
/// Of one language. Finding a message takes as long as the file is.
constexpr std::size_t kMaxDifferences = 20;

std::set<std::string_view> placeholders_of(std::string_view message) {
  std::set<std::string_view> names;
  while (const auto found = fw::detail::find_placeholder(message)) {
    names.insert(found->name);
    message.remove_prefix(static_cast<std::size_t>(found->text.data() - message.data()) +
                          found->text.size());
  }
  return names;
}

/// "{{id}} and {{name}}", or "none".
std::string list_of(const std::set<std::string_view>& names) {
  std::vector<std::string> written;
  for (const std::string_view name : names) written.push_back(fmt::format("{{{{{}}}}}", name));
  return written.empty() ? "none" : fmt::format("{}", fmt::join(written, " and "));
}

model::Range range_of_key(const LocaleMessages& messages, const std::string& key) {
  const SettingsFile& file = messages.source.file;
  const auto position = fw::base::position_of(file.text, fw::base::pointer_step(key));
  return range_of(file, position.value_or(fw::base::TextPosition{.line = 1, .column = 1}));
}

void report_missing(const std::vector<std::string>& missing, const LocaleMessages& other,
                    const LocaleMessages& standard, Reporter& reporter) {
  if (missing.empty()) return;
  const auto shown =
      missing.begin() + static_cast<std::ptrdiff_t>(std::min(missing.size(), kMaxNames));
  std::string names = fmt::format("'{}'", fmt::join(std::vector(missing.begin(), shown), "', '"));
  if (missing.size() > kMaxNames) names += fmt::format(" and {} more", missing.size() - kMaxNames);
  model::Range whole_file;
  whole_file.file = other.source.file.display_path;
  reporter.report(
      rules::locale_differs,
      fmt::format("'{}' lacks {} of '{}': {}", other.source.language,
                  fw::base::counted(missing.size(), "message"), standard.source.language, names),
      whole_file, "clients of this language get the message of the default language");
}

}  // namespace

void lint_locale_differs(const LocaleMessages& other, const LocaleMessages& standard,
                         model::Diagnostics& diagnostics) {
  Reporter reporter(diagnostics);
  std::vector<std::string> missing;
  std::size_t differing = 0;
  for (const auto& [key, entry] : standard.entries) {
    const auto translated = other.entries.find(key);
    if (translated == other.entries.end()) {
      missing.push_back(key);
      continue;
    }
    const auto expected = placeholders_of(entry.message);
    const auto found = placeholders_of(translated->second.message);
    if (found == expected || ++differing > kMaxDifferences) continue;
    model::Diagnostic& difference =
        reporter.report(rules::locale_differs,
                        fmt::format("the placeholders of '{}' are {}, but {} in '{}'", key,
                                    list_of(found), list_of(expected), standard.source.language),
                        range_of_key(other, key));
    difference.notes.push_back({fmt::format("the message in '{}'", standard.source.language),
                                range_of_key(standard, key)});
  }
  report_missing(missing, other, standard, reporter);
}

}  // namespace fairway::rules
