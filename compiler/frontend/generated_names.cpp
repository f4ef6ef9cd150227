#include <clang/Lex/Lexer.h>

#include "frontend/file_reading.hpp"

namespace fairway::frontend {
namespace {

/// Whether `source` ends in `.valid<` or `->valid<`.
bool ends_in_valid(llvm::StringRef source) {
  source = source.rtrim();
  if (source.consume_back("::")) source = source.rtrim();
  if (!source.consume_back("<")) return false;
  source = source.rtrim();
  if (!source.consume_back("valid")) return false;
  source = source.rtrim();
  if (source.consume_back("template")) source = source.rtrim();
  return source.ends_with(".") || source.ends_with("->");
}

}  // namespace

std::optional<model::GeneratedName> generated_name(const FileContext& context,
                                                   const ErrorCollector::Error& error) {
  if (!context.at.in_main_file(error.message.location)) return std::nullopt;
  const auto& sources = context.at.sources();
  const clang::SourceLocation begin = sources.getSpellingLoc(error.message.location);
  const auto [file, offset] = sources.getDecomposedLoc(begin);
  bool is_invalid = false;
  const llvm::StringRef text = sources.getBufferData(file, &is_invalid);
  if (is_invalid) return std::nullopt;

  model::GeneratedName name;
  clang::SourceLocation end = begin;
  clang::Lexer lexer(sources.getLocForStartOfFile(file), context.at.language(), text.begin(),
                     text.begin() + offset, text.end());
  clang::Token token;
  lexer.LexFromRawLexer(token);
  while (token.is(clang::tok::raw_identifier)) {
    name.parts.push_back(token.getRawIdentifier().str());
    end = token.getLocation();
    lexer.LexFromRawLexer(token);
    if (token.isNot(clang::tok::coloncolon)) break;
    lexer.LexFromRawLexer(token);
  }
  if (name.parts.size() < 2 || name.parts.front() != "routes") return std::nullopt;
  name.in_valid = ends_in_valid(text.take_front(offset));
  name.range = context.at.of({begin, end});
  return name;
}

}  // namespace fairway::frontend
