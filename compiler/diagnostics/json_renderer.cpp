#include <nlohmann/json.hpp>

#include "diagnostics/renderers.hpp"

namespace fairway::diagnostics {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;

void add_range(Json& object, const model::Range& range) {
  object["file"] = range.file;
  object["line"] = range.line;
  object["column"] = range.column;
  object["end_line"] = range.end_line;
  object["end_column"] = range.end_column;
}

Json note_json(const model::Note& note) {
  return {{"message", note.message},
          {"file", note.range.file},
          {"line", note.range.line},
          {"column", note.range.column}};
}

Json diagnostic_json(const model::Diagnostic& diagnostic) {
  Json object;
  object["id"] = diagnostic.id;
  object["severity"] = model::name_of(diagnostic.severity);
  object["message"] = diagnostic.message;
  add_range(object, diagnostic.range);
  if (!diagnostic.method.empty()) object["method"] = diagnostic.method;
  if (!diagnostic.route.empty()) object["route"] = diagnostic.route;
  if (!diagnostic.help.empty()) object["help"] = diagnostic.help;
  object["notes"] = Json::array();
  for (const model::Note& note : diagnostic.notes) object["notes"].push_back(note_json(note));
  if (!diagnostic.fixes.empty()) {
    object["fixes"] = Json::array();
    for (const model::FixIt& fix : diagnostic.fixes) {
      Json entry;
      add_range(entry, fix.range);
      entry["text"] = fix.text;
      object["fixes"].push_back(std::move(entry));
    }
  }
  return object;
}

}  // namespace

Json report_json(const Report& report) {
  Json document;
  document["version"] = kFormatVersion;
  document["ok"] = report.ok();
  document["summary"] = {{"files", report.files},
                         {"routes", report.routes},
                         {"errors", report.errors()},
                         {"warnings", report.warnings()}};
  document["diagnostics"] = Json::array();
  for (const model::Diagnostic& diagnostic : report.diagnostics) {
    document["diagnostics"].push_back(diagnostic_json(diagnostic));
  }
  return document;
}

std::string render_json(const Report& report) {
  // Messages may quote source bytes that are not UTF-8.
  return report_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace fairway::diagnostics
