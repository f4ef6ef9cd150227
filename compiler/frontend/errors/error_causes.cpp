#include "frontend/errors/error_causes.hpp"

#include <clang/Lex/Lexer.h>
#include <clang/Parse/ParseDiagnostic.h>
#include <clang/Sema/SemaDiagnostic.h>
#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "base/suggest.hpp"

namespace fairway::frontend {
namespace {

/// Whether the tokens end with the router and a period: `app.`.
bool end_with_router(const std::vector<clang::Token>& tokens) {
  using namespace clang::tok;
  if (tokens.size() < 2 || !tokens.back().isOneOf(period, arrow)) return false;
  const clang::Token& object = tokens[tokens.size() - 2];
  if (object.isNot(raw_identifier)) return false;
  for (std::size_t index = 0; index + 2 < tokens.size(); ++index) {
    if (tokens[index].is(raw_identifier) && tokens[index].getRawIdentifier() == "Router" &&
        tokens[index + 1].isOneOf(amp, star) && tokens[index + 2].is(raw_identifier) &&
        tokens[index + 2].getRawIdentifier() == object.getRawIdentifier()) {
      return true;
    }
  }
  return false;
}

}  // namespace

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

std::optional<RightName> right_name(const FileContext& context,
                                    const ErrorCollector::Error& error) {
  constexpr llvm::StringLiteral kExport = "FW_EXPORT_DEFAULT";
  const clang::SourceLocation place = error.message.location;
  const bool may_be_keyword = error.message.id == clang::diag::err_expected_unqualified_id;
  const bool may_be_export = error.message.id == clang::diag::err_missing_type_specifier;
  if (!(may_be_keyword || may_be_export) || place.isMacroID() || !context.at.in_main_file(place)) {
    return std::nullopt;
  }
  const ErrorTokens tokens = tokens_at(context, place);
  const auto& next = tokens.next;
  if (next.size() < 2 || next[0].isNot(clang::tok::raw_identifier)) return std::nullopt;
  const llvm::StringRef written = next[0].getRawIdentifier();
  if (may_be_keyword) {
    if (written != "delete" || !end_with_router(tokens.before)) return std::nullopt;
    return RightName{"del", "'delete' is a keyword of C++; did you mean 'del'?"};
  }
  const std::string_view names[] = {{kExport.data(), kExport.size()}};
  // Without the framework's header, the right name is unknown, too.
  if (written == kExport || next[1].isNot(clang::tok::equal) ||
      fw::base::near_names(written, names).empty()) {
    return std::nullopt;
  }
  return RightName{
      kExport, fmt::format("unknown name '{}'; did you mean '{}'?", written.str(), kExport.str())};
}

}  // namespace fairway::frontend
