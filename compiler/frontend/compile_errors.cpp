#include "frontend/compile_errors.hpp"

#include <clang/Sema/SemaDiagnostic.h>

#include <algorithm>

namespace fairway::frontend {
namespace {

bool contains(const Unit& unit, clang::SourceRange range, clang::SourceLocation location) {
  if (location.isInvalid() || range.isInvalid()) return false;
  const auto& sources = unit.at.sources();
  const clang::SourceLocation place = sources.getExpansionLoc(location);
  const clang::SourceLocation begin = sources.getExpansionLoc(range.getBegin());
  const clang::SourceLocation end = sources.getExpansionLoc(range.getEnd());
  return sources.getFileID(place) == sources.getFileID(begin) &&
         sources.getFileOffset(begin) <= sources.getFileOffset(place) &&
         sources.getFileOffset(place) <= sources.getFileOffset(end);
}

bool concerns(const Unit& unit, clang::SourceRange range, const ErrorCollector::Error& error) {
  if (contains(unit, range, error.message.location)) return true;
  if (unit.at.in_main_file(error.message.location)) return false;
  // A template of a header that is used wrongly: the notes lead back to the use.
  return std::any_of(error.notes.begin(), error.notes.end(),
                     [&](const auto& note) { return contains(unit, range, note.location); });
}

bool in_handler(const Unit& unit, const ErrorCollector::Error& error) {
  return std::any_of(unit.handler_bodies.begin(), unit.handler_bodies.end(),
                     [&](clang::SourceRange body) { return concerns(unit, body, error); });
}

/// Gives Clang's reason to the diagnostic that reports the statement already.
bool add_to_explanation(Unit& unit, const ErrorCollector::Error& error) {
  constexpr llvm::StringLiteral kReason = "no known conversion from ";
  for (const auto& explained : unit.explained) {
    if (!concerns(unit, explained.range, error)) continue;
    auto& diagnostic = unit.file.diagnostics[explained.diagnostic];
    for (const auto& note : error.notes) {
      const std::size_t at = note.text.find(kReason.str());
      if (at == std::string::npos) continue;
      diagnostic.notes.push_back({note.text.substr(at), diagnostic.range});
    }
    return true;
  }
  return false;
}

}  // namespace

void ErrorCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                      const clang::Diagnostic& diagnostic) {
  DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  if (level == clang::DiagnosticsEngine::Warning || level == clang::DiagnosticsEngine::Remark ||
      level == clang::DiagnosticsEngine::Ignored) {
    last_is_error_ = false;
    return;
  }
  llvm::SmallString<256> text;
  diagnostic.FormatDiagnostic(text);
  Message message{diagnostic.getID(), diagnostic.getLocation(), {}, text.str().str()};
  for (const auto& range : diagnostic.getRanges()) {
    if (range.isValid() && range.isTokenRange()) {
      message.range = range.getAsRange();
      break;
    }
  }
  if (level >= clang::DiagnosticsEngine::Error) {
    errors_.push_back({std::move(message), {}});
    last_is_error_ = true;
  } else if (last_is_error_ && !errors_.empty()) {
    errors_.back().notes.push_back(std::move(message));
  }
}

void report_compile_errors(Unit& unit, const std::vector<ErrorCollector::Error>& errors) {
  for (const auto& error : errors) {
    if (in_handler(unit, error) || add_to_explanation(unit, error)) continue;
    const bool redefined = error.message.id == clang::diag::err_redefinition &&
                           error.message.text.find("'fairway_default_export'") != std::string::npos;
    model::Range range = unit.at.token(error.message.location);
    if (range.line == 0) range.file = unit.file.display_path;
    auto& diagnostic = unit.report(
        redefined ? "several-default-exports" : "does-not-parse",
        redefined ? "this file has a second default export" : error.message.text, std::move(range));
    if (redefined) {
      diagnostic.help = "one file has one default export: move the other one to a file of its own";
    }
    for (const auto& note : error.notes) {
      diagnostic.notes.push_back(
          {redefined ? "the first one is here" : note.text, unit.at.token(note.location)});
    }
  }
}

}  // namespace fairway::frontend
