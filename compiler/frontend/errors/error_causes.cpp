#include "frontend/errors/error_causes.hpp"

#include <clang/Lex/Lexer.h>
#include <clang/Parse/ParseDiagnostic.h>
#include <clang/Sema/SemaDiagnostic.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/suggest.hpp"
#include "frontend/compilers/other_compiler.hpp"

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

/// The text from the token at the place to the parenthesis after it, "valid<Parcel>"; empty if the
/// call has arguments.
std::string called_without_arguments(const FileContext& context, clang::SourceLocation place) {
  const ErrorTokens tokens = tokens_at(context, place);
  const auto open = std::ranges::find_if(tokens.next, [](const clang::Token& each) {
    return each.isOneOf(clang::tok::l_paren, clang::tok::semi);
  });
  if (open == tokens.next.end() || open->is(clang::tok::semi) || open + 1 == tokens.next.end() ||
      (open + 1)->isNot(clang::tok::r_paren)) {
    return {};
  }
  const auto written =
      clang::CharSourceRange::getCharRange(tokens.next.front().getLocation(), open->getLocation());
  return clang::Lexer::getSourceText(written, context.at.sources(), context.at.language()).str();
}

}  // namespace

std::string remedy_of(const FileContext& context, const ErrorCollector::Error& error) {
  const clang::SourceLocation place = error.message.location;
  const bool is_of_framework =
      std::ranges::any_of(error.notes, [&](const ErrorCollector::Message& note) {
        return note.location.isValid() && !is_in_file_of_user(context.at.sources(), note.location);
      });
  if (error.message.id != clang::diag::err_ovl_no_viable_member_function_in_call ||
      !is_of_framework || place.isMacroID()) {
    return {};
  }
  const llvm::StringRef text = error.message.text;
  if (text.ends_with("'raw_json'")) {
    return "'raw_json' takes an 'fw::Json', or a value of a type with FW_JSON or 'to_json'; send a "
           "plain struct with 'json'";
  }
  const std::string call =
      text.ends_with("'valid'") ? called_without_arguments(context, place) : std::string();
  if (call.empty()) return {};
  return fmt::format(
      "pass the location, '{}(fw::Location::body)': only structs that are generated for the route "
      "need none",
      call);
}

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
