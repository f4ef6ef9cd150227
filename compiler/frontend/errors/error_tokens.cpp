#include <clang/Lex/Lexer.h>

#include "frontend/errors/error_causes.hpp"

namespace fairway::frontend {

ErrorTokens tokens_at(const FileContext& context, clang::SourceLocation place) {
  const auto& sources = context.at.sources();
  const clang::FileID file = sources.getFileID(place);
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), context.at.language(), text.begin(),
                     text.begin(), text.end());
  ErrorTokens tokens;
  bool is_in_directive = false;
  for (clang::Token token;;) {
    const bool is_last = lexer.LexFromRawLexer(token);
    if (token.isAtStartOfLine()) is_in_directive = token.is(clang::tok::hash);
    if (token.getLocation() >= place) {
      if (!is_in_directive || tokens.next.empty()) tokens.next.push_back(token);
    } else {
      if (!is_in_directive) tokens.before.push_back(token);
      tokens.is_after_directive = is_in_directive;
    }
    if (is_last) break;
  }
  return tokens;
}

}  // namespace fairway::frontend
