#include <fmt/format.h>

#include <map>
#include <utility>

#include "lsp/features.hpp"

namespace fairway::lsp {
namespace {

using model::Diagnostic;

Json diagnostic_json(const View& view, const Diagnostic& diagnostic) {
  constexpr int kError = 1;
  constexpr int kWarning = 2;
  std::string message = diagnostic.message;
  if (!diagnostic.help.empty()) message += "\nhelp: " + diagnostic.help;
  Json result = {{"range", EditorRange(diagnostic.range, view.sources).json()},
                 {"severity", diagnostic.severity == model::Severity::error ? kError : kWarning},
                 {"code", diagnostic.id},
                 {"source", "fairway"},
                 {"message", message}};
  if (const auto& page = view.snapshot.diagnostics_page; !page.empty()) {
    result["codeDescription"] = {{"href", uri_of(page) + '#' + diagnostic.id}};
  }
  for (const model::Note& note : diagnostic.notes) {
    result["relatedInformation"].push_back(
        {{"location", view.location(note.range)}, {"message", note.message}});
  }
  return result;
}

std::string title_of(const std::vector<model::FixIt>& fixes) {
  if (fixes.size() > 1) return fmt::format("Apply {} changes", fixes.size());
  const model::FixIt& fix = fixes.front();
  if (fix.text.empty()) return "Remove this";
  const bool is_insertion =
      fix.range.line == fix.range.end_line && fix.range.column == fix.range.end_column;
  std::string text = fix.text;
  text.erase(0, text.find_first_not_of(" \n"));
  text.erase(text.find_last_not_of(" \n") + 1);
  return fmt::format("{} '{}'", is_insertion ? "Insert" : "Replace with", text);
}

/// The edits of each document with its version, so that the client does not apply them to another
/// text.
Json edits_of(const View& view, const std::vector<model::FixIt>& fixes) {
  std::map<std::string, Json> edits;
  for (const model::FixIt& fix : fixes) {
    const Json location = view.location(fix.range);
    edits[location["uri"].get<std::string>()].push_back(
        {{"range", location["range"]}, {"newText", fix.text}});
  }
  Json changes = Json::array();
  for (auto& [uri, each] : edits) {
    const Document* const document = view.documents.find(uri);
    changes.push_back(
        {{"textDocument",
          {{"uri", uri}, {"version", document == nullptr ? Json() : Json(document->version)}}},
         {"edits", std::move(each)}});
  }
  return {{"documentChanges", changes}};
}

}  // namespace

Json diagnostics_of(const View& view) {
  Json all = Json::array();
  for (const Diagnostic& each : view.snapshot.diagnostics) {
    if (view.is_in_document(each.range)) all.push_back(diagnostic_json(view, each));
  }
  return all;
}

Json code_actions(const View& view, const Position& begin, const Position& end) {
  Json actions = Json::array();
  for (const Diagnostic& each : view.snapshot.diagnostics) {
    if (each.fixes.empty() || !view.is_in_document(each.range)) continue;
    const EditorRange range(each.range, view.sources);
    if (range.end < begin || end < range.begin) continue;
    actions.push_back({{"title", title_of(each.fixes)},
                       {"kind", "quickfix"},
                       {"diagnostics", Json::array({diagnostic_json(view, each)})},
                       {"isPreferred", true},
                       {"edit", edits_of(view, each.fixes)}});
  }
  return actions;
}

}  // namespace fairway::lsp
