#include "frontend/source/locations.hpp"

#include <clang/Lex/Lexer.h>

#include "frontend/invocation/invocation.hpp"
#include "frontend/invocation/source_files.hpp"

namespace fairway::frontend {

clang::SourceLocation Locations::written(clang::SourceLocation location) const {
  if (!location.isMacroID()) return location;
  const clang::SourceLocation spelling = sources_.getSpellingLoc(location);
  if (spelling.isFileID() && !sources_.isWrittenInScratchSpace(spelling) &&
      !sources_.isInSystemHeader(spelling) && sources_.isInMainFile(spelling)) {
    return spelling;
  }
  return sources_.getExpansionLoc(location);
}

model::Range Locations::of(clang::SourceRange range) const {
  return between(written(range.getBegin()), written(range.getEnd()));
}

model::Range Locations::used(clang::SourceRange range) const {
  return between(sources_.getFileLoc(range.getBegin()), sources_.getFileLoc(range.getEnd()));
}

model::Range Locations::between(clang::SourceLocation begin, clang::SourceLocation end) const {
  model::Range result;
  if (begin.isInvalid()) return result;
  const clang::PresumedLoc location = sources_.getPresumedLoc(begin, false);
  if (location.isInvalid()) return result;
  result.file = shown_path(directory_, location.getFilename());
  result.line = location.getLine();
  result.column = location.getColumn();
  if (end.isInvalid() || sources_.getFileID(end) != sources_.getFileID(begin) ||
      sources_.getFileOffset(end) < sources_.getFileOffset(begin)) {
    end = begin;
  }
  end = clang::Lexer::getLocForEndOfToken(end, 0, sources_, language_);
  const clang::PresumedLoc last = sources_.getPresumedLoc(end, false);
  result.end_line = last.isValid() ? last.getLine() : result.line;
  result.end_column = last.isValid() ? last.getColumn() : result.column + 1;
  return result;
}

model::Range Locations::byte(clang::SourceLocation location) const {
  model::Range result = token(location);
  result.end_line = result.line;
  result.end_column = result.column + 1;
  return result;
}

std::optional<model::Range> Locations::characters(clang::CharSourceRange range) const {
  const clang::SourceLocation begin = range.getBegin();
  clang::SourceLocation end = range.getEnd();
  if (!begin.isFileID() || !end.isFileID() || !in_main_file(begin) || !in_main_file(end)) {
    return std::nullopt;
  }
  if (range.isTokenRange()) {
    end = clang::Lexer::getLocForEndOfToken(end, 0, sources_, language_);
    if (end.isInvalid()) return std::nullopt;
  }
  const clang::PresumedLoc first = sources_.getPresumedLoc(begin, false);
  const clang::PresumedLoc last = sources_.getPresumedLoc(end, false);
  if (first.isInvalid() || last.isInvalid()) return std::nullopt;
  return model::Range{shown_path(directory_, first.getFilename()), first.getLine(),
                      first.getColumn(), last.getLine(), last.getColumn()};
}

bool Locations::in_main_file(clang::SourceLocation location) const {
  return location.isValid() && sources_.isInMainFile(sources_.getExpansionLoc(location));
}

bool Locations::in_generated_header(clang::SourceLocation location) const {
  return location.isValid() &&
         sources_.getFilename(sources_.getExpansionLoc(location)).starts_with(kGeneratedDirectory);
}

std::string Locations::generated_header(clang::SourceLocation location) const {
  return sources_.getFilename(sources_.getExpansionLoc(location))
      .substr(kGeneratedDirectory.size())
      .str();
}

}  // namespace fairway::frontend
