#include "rules/lint_settings.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <vector>

#include "base/json_position.hpp"
#include "base/json_text.hpp"
#include "base/suggest.hpp"
#include "rules/catalogue.hpp"

namespace fairway::rules {
namespace {

using Json = nlohmann::ordered_json;
using model::Severity;

constexpr std::string_view kOthers = "*";
constexpr std::array<std::string_view, 1> kMembers = {"lints"};
constexpr std::array<std::string_view, 3> kLevels = {"off", "warning", "error"};

class SettingsReader {
 public:
  explicit SettingsReader(const std::string& file) : file_(file) {}

  std::map<std::string, std::optional<Severity>, std::less<>> read(std::string_view text) const {
    const Json document = parsed(text);
    if (!document.is_object()) fail("", "must be an object, for example {\"lints\": {}}");
    for (const auto& [name, value] : document.items()) {
      if (name != kMembers[0]) {
        fail(fw::base::pointer_step(name),
             fmt::format("unknown member: the only member is 'lints'{}",
                         fw::base::did_you_mean(name, kMembers)));
      }
    }
    std::map<std::string, std::optional<Severity>, std::less<>> severities;
    const auto lints = document.find(kMembers[0]);
    if (lints == document.end()) return severities;
    if (!lints->is_object()) fail("/lints", "must be an object of lints and their severities");
    for (const auto& [id, level] : lints->items()) {
      const std::string pointer = "/lints" + fw::base::pointer_step(id);
      check_id(id, pointer);
      severities[std::string(current_id(id))] = severity(level, pointer);
    }
    return severities;
  }

 private:
  [[noreturn]] void fail(std::string_view pointer, std::string_view expectation) const {
    throw SettingsError(
        fmt::format("{}: {}{}{}", file_, pointer, pointer.empty() ? "" : ": ", expectation));
  }

  Json parsed(std::string_view text) const {
    try {
      Json document = Json::parse(text);
      for (const fw::base::DuplicateName& each : fw::base::duplicate_names(text)) {
        throw SettingsError(
            fmt::format("{}:{}:{}: {}: duplicate key; the first one is at line {}, column {}",
                        file_, each.position.line, each.position.column, each.pointer,
                        each.first.line, each.first.column));
      }
      return document;
    } catch (const Json::exception& error) {  // also of a number such as 1e400
      const auto [position, message] = fw::base::syntax_error(text, error);
      const auto at = position ? fmt::format(":{}:{}", position->line, position->column) : "";
      throw SettingsError(fmt::format("{}{}: this is not JSON: {}", file_, at, message));
    }
  }

  void check_id(const std::string& id, const std::string& pointer) const {
    if (id == kOthers) return;
    if (is_lint(id)) return;
    if (find_rule(id)) fail(pointer, "is an error, and errors cannot be disabled");
    std::vector<std::string_view> lints;
    for (const model::Rule& each : catalogue()) {
      if (each.severity == Severity::warning) lints.push_back(each.id);
    }
    const std::string near = fw::base::did_you_mean(id, lints);
    fail(pointer, "unknown lint" + (near.empty() ? ": see 'fairway doctor --list-rules'" : near));
  }

  std::optional<Severity> severity(const Json& level, const std::string& pointer) const {
    const std::string text = level.is_string() ? level.get<std::string>() : std::string();
    if (text == "off") return std::nullopt;
    if (text == "warning") return Severity::warning;
    if (text == "error") return Severity::error;
    fail(pointer, fmt::format(R"(must be "off", "warning" or "error"{})",
                              fw::base::did_you_mean(text, kLevels)));
  }

  const std::string& file_;
};

}  // namespace

LintSettings::LintSettings(std::string_view text, const std::string& file)
    : severities_(SettingsReader(file).read(text)) {}

std::optional<Severity> LintSettings::severity_of(std::string_view lint) const {
  auto found = severities_.find(lint);
  if (found == severities_.end()) found = severities_.find(kOthers);
  return found == severities_.end() ? Severity::warning : found->second;
}

void LintSettings::apply(model::Diagnostics& diagnostics) const {
  std::erase_if(diagnostics, [&](model::Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::error) return false;
    const auto severity = severity_of(diagnostic.id);
    if (severity) diagnostic.severity = *severity;
    return !severity;
  });
}

}  // namespace fairway::rules
