#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "diagnostics/renderers.hpp"
#include "diagnostics/source_text.hpp"

namespace fairway::diagnostics {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRoot = "SRCROOT";

std::string_view level_of(model::Severity severity) {
  return severity == model::Severity::error ? "error" : "warning";
}

// The path of a URI: bytes that RFC 3986 does not allow become "%XX".
std::string uri_path(std::string_view path) {
  constexpr std::string_view kUnreserved = "-._~/";
  std::string uri;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || kUnreserved.find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

// In a SARIF message, "[text](target)" is a link, so brackets are escaped.
std::string message_text(std::string_view text) {
  std::string escaped;
  const bool looks_linked = text.find("](") != std::string_view::npos;
  for (const char c : text) {
    if (looks_linked && (c == '[' || c == ']' || c == '\\')) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Json artifact_location(const std::string& file) {
  if (file.starts_with('/')) return {{"uri", "file://" + uri_path(file)}};
  return {{"uri", uri_path(file)}, {"uriBaseId", kRoot}};
}

Json region_of(const model::Range& range, SourceText& sources) {
  const model::Range converted = utf16_range(range, sources);
  Json region = {{"startLine", converted.line}, {"startColumn", converted.column}};
  if (converted.end_line >= converted.line) {
    region["endLine"] = converted.end_line;
    region["endColumn"] = converted.end_column;
  }
  return region;
}

Json physical_location(const model::Range& range, SourceText& sources) {
  Json location = {{"artifactLocation", artifact_location(range.file)}};
  if (range.line > 0) location["region"] = region_of(range, sources);
  return location;
}

// One fix with all replacements of a finding, grouped by file.
Json fix_of(const std::vector<model::FixIt>& replacements, SourceText& sources) {
  Json changes = Json::array();
  for (const model::FixIt& replacement : replacements) {
    const Json location = artifact_location(replacement.range.file);
    if (changes.empty() || changes.back()["artifactLocation"] != location) {
      changes.push_back({{"artifactLocation", location}, {"replacements", Json::array()}});
    }
    changes.back()["replacements"].push_back(
        {{"deletedRegion", region_of(replacement.range, sources)},
         {"insertedContent", {{"text", replacement.text}}}});
  }
  return {{"artifactChanges", std::move(changes)}};
}

Json rule_of(const model::Rule& rule) {
  Json descriptor;
  descriptor["id"] = rule.id;
  descriptor["shortDescription"] = {{"text", message_text(rule.rule)}};
  descriptor["fullDescription"] = {{"text", message_text(rule.explanation)}};
  descriptor["help"] = {
      {"text", message_text(fmt::format("{}\n\nExample:\n\n{}", rule.explanation, rule.example))},
      {"markdown",
       fmt::format("{}\n\nExample:\n\n```cpp\n{}\n```", rule.explanation, rule.example)}};
  descriptor["defaultConfiguration"] = {{"level", level_of(rule.severity)}};
  return descriptor;
}

Json result_of(const model::Diagnostic& diagnostic, std::span<const model::Rule> rules,
               SourceText& sources) {
  Json result;
  result["ruleId"] = diagnostic.id;
  const auto rule = std::ranges::find(rules, diagnostic.id, &model::Rule::id);
  if (rule != rules.end()) result["ruleIndex"] = rule - rules.begin();
  result["level"] = level_of(diagnostic.severity);
  std::string text = diagnostic.message;
  if (!diagnostic.help.empty()) text += "\nhelp: " + diagnostic.help;
  result["message"] = {{"text", message_text(text)}};
  result["locations"] = Json::array();
  if (!diagnostic.range.file.empty()) {
    result["locations"].push_back(
        {{"physicalLocation", physical_location(diagnostic.range, sources)}});
  }
  for (std::size_t index = 0; index < diagnostic.notes.size(); ++index) {
    const model::Note& note = diagnostic.notes[index];
    Json location = {{"id", index}};
    if (!note.range.file.empty()) {
      location["physicalLocation"] = physical_location(note.range, sources);
    }
    location["message"] = {{"text", message_text(note.message)}};
    result["relatedLocations"].push_back(std::move(location));
  }
  if (!diagnostic.fixes.empty()) {
    result["fixes"] = Json::array({fix_of(diagnostic.fixes, sources)});
  }
  if (!diagnostic.method.empty()) result["properties"]["method"] = diagnostic.method;
  if (!diagnostic.route.empty()) result["properties"]["route"] = diagnostic.route;
  return result;
}

}  // namespace

std::string render_sarif(const Report& report, SourceText& sources, const SarifOptions& options) {
  Json rules = Json::array();
  for (const model::Rule& rule : options.rules) rules.push_back(rule_of(rule));
  Json results = Json::array();
  for (const model::Diagnostic& diagnostic : report.diagnostics) {
    results.push_back(result_of(diagnostic, options.rules, sources));
  }
  std::string root = options.working_directory;
  if (!root.ends_with('/')) root += '/';
  Json run;
  run["tool"]["driver"] = {{"name", "fairway"},
                           {"version", options.tool_version},
                           {"semanticVersion", options.tool_version},
                           {"rules", std::move(rules)}};
  run["invocations"] = Json::array({{{"executionSuccessful", true}}});
  run["originalUriBaseIds"] = {{kRoot, {{"uri", "file://" + uri_path(root)}}}};
  run["columnKind"] = "utf16CodeUnits";
  run["results"] = std::move(results);
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({std::move(run)})}};
  // Messages may quote source bytes that are not UTF-8.
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace fairway::diagnostics
