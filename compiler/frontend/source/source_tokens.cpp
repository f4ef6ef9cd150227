#include "frontend/source/source_tokens.hpp"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

namespace fairway::frontend {
namespace {

using Kind = SourceToken::Kind;

clang::LangOptions cpp20() {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 =
      language.CPlusPlus20 = true;
  language.LineComment = true;
  return language;
}

Kind kind_of(const clang::Token& token, std::string_view text) {
  if (token.is(clang::tok::raw_identifier)) return Kind::name;
  const bool is_unterminated = token.is(clang::tok::unknown) && text.starts_with('"');
  return is_unterminated || clang::tok::isStringLiteral(token.getKind()) ? Kind::string
                                                                         : Kind::punctuation;
}

}  // namespace

std::vector<SourceToken> source_tokens(const std::string& text) {
  const clang::LangOptions language = cpp20();
  const char* const begin = text.data();
  clang::Lexer lexer(clang::SourceLocation(), language, begin, begin, begin + text.size());
  std::vector<SourceToken> tokens;
  for (bool is_last = false; !is_last;) {
    clang::Token token;
    is_last = lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof)) break;
    const std::size_t end = static_cast<std::size_t>(lexer.getBufferLocation() - begin);
    const std::size_t at = end - token.getLength();
    const std::string_view spelling = std::string_view(text).substr(at, token.getLength());
    tokens.push_back({.kind = kind_of(token, spelling), .begin = at, .text = spelling});
  }
  return tokens;
}

}  // namespace fairway::frontend
