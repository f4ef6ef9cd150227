#include "frontend/errors/compile_errors.hpp"

#include <clang/Basic/DiagnosticDriver.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Lex/Lexer.h>
#include <clang/Parse/ParseDiagnostic.h>
#include <clang/Sema/SemaDiagnostic.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "base/suggest.hpp"
#include "frontend/compilers/other_compiler.hpp"
#include "frontend/errors/generated_names.hpp"

namespace fairway::frontend {
namespace {

bool contains(const FileContext& context, clang::SourceRange range,
              clang::SourceLocation location) {
  if (location.isInvalid() || range.isInvalid()) return false;
  const auto& sources = context.at.sources();
  const clang::SourceLocation expanded = sources.getExpansionLoc(location);
  const clang::SourceLocation begin = sources.getExpansionLoc(range.getBegin());
  const clang::SourceLocation end = sources.getExpansionLoc(range.getEnd());
  return sources.getFileID(expanded) == sources.getFileID(begin) &&
         sources.getFileOffset(begin) <= sources.getFileOffset(expanded) &&
         sources.getFileOffset(expanded) <= sources.getFileOffset(end);
}

}  // namespace

bool belongs_to(const FileContext& context, clang::SourceRange range,
                const ErrorCollector::Error& error) {
  if (contains(context, range, error.message.location)) return true;
  if (context.at.in_main_file(error.message.location)) return false;
  // The error may be in a template of a header; then the notes refer to its use.
  return std::any_of(error.notes.begin(), error.notes.end(),
                     [&](const auto& note) { return contains(context, range, note.location); });
}

clang::SourceLocation location_in(const FileContext& context, clang::SourceRange range,
                                  const ErrorCollector::Error& error) {
  if (contains(context, range, error.message.location)) return error.message.location;
  for (const auto& note : error.notes) {
    if (contains(context, range, note.location)) return note.location;
  }
  return range.getBegin();
}

namespace {

bool is_syntax_error(const ErrorCollector::Error& error) {
  return clang::DiagnosticIDs::getCategoryNameFromID(
             clang::DiagnosticIDs::getCategoryNumberForDiag(error.message.id)) == "Parse Issue";
}

bool is_preprocessing_error(const ErrorCollector::Error& error) {
  return clang::DiagnosticIDs::getCategoryNameFromID(clang::DiagnosticIDs::getCategoryNumberForDiag(
             error.message.id)) == "Lexical or Preprocessor Issue";
}

bool is_at_end_of_file(const FileContext& context, const ErrorCollector::Error& error) {
  const auto& sources = context.at.sources();
  if (error.message.location.isInvalid()) return false;
  const auto [file, offset] = sources.getDecomposedExpansionLoc(error.message.location);
  return offset + 1 >= sources.getFileIDSize(file);
}

/// Decides which errors are left to the build of the program: semantic errors in the bodies of
/// handlers. A syntax error is reported, because it may hide registrations, except after a semantic
/// error in the same handler, where it may be a consequence of generated types that are unknown
/// here.
class HandlerErrors {
 public:
  explicit HandlerErrors(const std::vector<clang::SourceRange>& bodies)
      : bodies_(bodies), has_error_(bodies.size(), false) {}

  bool contain(const FileContext& context, const ErrorCollector::Error& error) {
    if (is_preprocessing_error(error) || is_at_end_of_file(context, error)) return false;
    bool is_left = false;
    for (std::size_t index = 0; index < bodies_.size(); ++index) {
      if (!belongs_to(context, bodies_[index], error)) continue;
      if (is_syntax_error(error) && !has_error_[index]) continue;
      has_error_[index] = true;
      is_left = true;
    }
    return is_left;
  }

 private:
  const std::vector<clang::SourceRange>& bodies_;
  std::vector<bool> has_error_;
};

/// Adds Clang's reason to the existing diagnostic for the statement.
bool attach_clang_reason(FileContext& context, const ErrorCollector::Error& error) {
  constexpr const char* kReasons[] = {"no known conversion from ", "cannot convert "};
  for (const auto& explained : context.explained) {
    if (!belongs_to(context, explained.range, error)) continue;
    if (explained.handler.isInvalid()) return true;
    auto& diagnostic = context.file.diagnostics[explained.diagnostic];
    for (const auto& note : error.notes) {
      for (const char* reason : kReasons) {
        const std::size_t at = note.text.find(reason);
        if (at == std::string::npos) continue;
        diagnostic.notes.push_back({note.text.substr(at), diagnostic.range});
      }
    }
    return true;
  }
  return false;
}

bool framework_is_included(const FileContext& context) {
  auto& names = context.ast.Idents;
  return !context.ast.getTranslationUnitDecl()->lookup(&names.get("fw")).empty();
}

/// Whether an error may be a consequence of a reported one.
class ConsequenceFilter {
 public:
  explicit ConsequenceFilter(const FileContext& context)
      : framework_(framework_is_included(context)) {}

  bool is_consequence(const ErrorCollector::Error& error) {
    // Without the framework's header, or after a syntax error, Clang's errors are not reliable.
    const bool lost = any_ && (!framework_ || after_syntax_error_);
    const bool repeated = !texts_.insert(error.message.text).second;
    any_ = true;
    return lost || repeated;
  }
  void lose_structure() { after_syntax_error_ = true; }
  bool framework_is_missing() const { return !framework_; }

 private:
  bool framework_;
  bool any_ = false;
  bool after_syntax_error_ = false;
  std::set<std::string> texts_;
};

}  // namespace

std::vector<model::FixIt> repairs(const FileContext& context, const ErrorCollector::Error& error) {
  std::vector<model::FixIt> fixes;
  const bool is_guess = error.message.text.find("did you mean") != std::string::npos &&
                        error.message.id != clang::diag::err_field_designator_unknown_suggest;
  if (is_guess) return fixes;
  for (const clang::FixItHint& hint : error.message.fixes) {
    auto range = context.at.characters(hint.RemoveRange);
    if (!range || hint.InsertFromRange.isValid()) return {};
    fixes.push_back({std::move(*range), hint.CodeToInsert});
  }
  return fixes;
}

namespace {

/// The tokens of the file of an error around its place.
struct ErrorTokens {
  std::vector<clang::Token> before;  ///< from the beginning of the file, without directives
  std::vector<clang::Token> next;    ///< the one with the error, and all after it
  bool is_after_directive = false;   ///< whether a directive is between the two
};

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

/// The index of the bracket that is open after `tokens`; of the one that the last token closes, if
/// `is_closed`. `tokens.size()` if there is none.
std::size_t opening_bracket(const std::vector<clang::Token>& tokens, bool is_closed) {
  using namespace clang::tok;
  int depth = is_closed ? -1 : 0;
  for (std::size_t index = tokens.size(); index > 0; --index) {
    const clang::Token& token = tokens[index - 1];
    if (token.isOneOf(r_brace, r_paren, r_square)) ++depth;
    if (token.isOneOf(l_brace, l_paren, l_square) && depth-- == 0) return index - 1;
  }
  return tokens.size();
}

/// Whether a bracket and the token after it begin a list of members: `{.timeout`.
bool begins_members(const std::vector<clang::Token>& tokens, std::size_t index) {
  return index + 1 < tokens.size() && tokens[index].is(clang::tok::l_brace) &&
         tokens[index + 1].is(clang::tok::period);
}

/// Whether Clang has read the next member of a list as a member of the value before it:
/// `{.summary = "a" .tags = …}`.
bool is_about_member_of_value(const ErrorCollector::Error& error) {
  using namespace clang::diag;
  constexpr unsigned kIds[] = {err_typecheck_member_reference_struct_union,
                               err_typecheck_member_reference_suggestion, err_no_member,
                               err_no_member_suggest, err_member_reference_needs_call};
  return std::ranges::find(kIds, error.message.id) != std::end(kIds);
}

/// Whether a list, not a block, begins with this brace.
bool begins_list(const std::vector<clang::Token>& tokens, std::size_t index) {
  using namespace clang::tok;
  return index < tokens.size() && tokens[index].is(l_brace) && index > 0 &&
         tokens[index - 1].isOneOf(equal, comma, l_paren, l_brace);
}

/// Whether the brackets that are open after `before` are closed to the end of the statement. If
/// not, one of them is missing, not a comma.
bool are_closed(const std::vector<clang::Token>& before, const std::vector<clang::Token>& next) {
  using namespace clang::tok;
  std::vector<std::size_t> open;  // brackets in `before`
  for (std::size_t index = 0; index < before.size(); ++index) {
    if (before[index].isOneOf(l_brace, l_paren, l_square)) open.push_back(index);
    if (before[index].isOneOf(r_brace, r_paren, r_square) && !open.empty()) open.pop_back();
  }
  std::vector<TokenKind> inner;  // brackets in `next`
  const std::size_t all = open.size();
  for (const clang::Token& token : next) {
    if (token.is(semi) && inner.empty()) {
      return open.size() < all && (open.empty() || (before[open.back()].is(l_brace) &&
                                                    !begins_list(before, open.back())));
    }
    if (token.isOneOf(l_brace, l_paren, l_square)) inner.push_back(token.getKind());
    if (!token.isOneOf(r_brace, r_paren, r_square)) continue;
    if (inner.empty() && open.empty()) return false;
    const TokenKind opened = inner.empty() ? before[open.back()].getKind() : inner.back();
    const bool fits = (opened == l_brace && token.is(r_brace)) ||
                      (opened == l_paren && token.is(r_paren)) ||
                      (opened == l_square && token.is(r_square));
    if (!fits) return false;
    if (inner.empty()) {
      open.pop_back();
    } else {
      inner.pop_back();
    }
  }
  return false;
}

/// The index after the bracket that closes the one at `index`; the number of tokens if there is
/// none.
std::size_t after_closing(const std::vector<clang::Token>& tokens, std::size_t index) {
  using namespace clang::tok;
  int depth = 0;
  for (; index < tokens.size(); ++index) {
    if (tokens[index].isOneOf(l_brace, l_paren, l_square)) ++depth;
    if (tokens[index].isOneOf(r_brace, r_paren, r_square) && --depth == 0) return index + 1;
  }
  return index;
}

/// Whether the tokens are a lambda with parameters: `[&app](fw::Request& req, …) {`.
bool begin_lambda(const std::vector<clang::Token>& tokens) {
  using namespace clang::tok;
  if (tokens.empty() || tokens[0].isNot(l_square)) return false;
  const std::size_t parameters = after_closing(tokens, 0);
  if (parameters >= tokens.size() || tokens[parameters].isNot(l_paren)) return false;
  const std::size_t end = after_closing(tokens, parameters);
  return end < tokens.size() &&
         (tokens[end].isOneOf(l_brace, arrow) ||
          (tokens[end].is(raw_identifier) && (tokens[end].getRawIdentifier() == "mutable" ||
                                              tokens[end].getRawIdentifier() == "noexcept")));
}

bool is_keyword_before_lambda(const clang::Token& token) {
  constexpr llvm::StringLiteral kWords[] = {"return", "co_return", "co_yield", "co_await",
                                            "throw",  "new",       "delete",   "sizeof",
                                            "else",   "operator",  "case",     "typeid"};
  return token.is(clang::tok::raw_identifier) &&
         llvm::is_contained(kWords, token.getRawIdentifier());
}

/// Whether the name of a function of the file or of a header, or of a variable before the place.
bool is_known_name(const FileContext& context, const std::vector<clang::Token>& before,
                   const clang::Token& token) {
  const llvm::StringRef name = token.getRawIdentifier();
  auto& names = context.ast.Idents;
  if (!context.ast.getTranslationUnitDecl()->lookup(&names.get(name)).empty()) return true;
  for (std::size_t index = 0; index + 1 < before.size(); ++index) {
    if (before[index].is(clang::tok::raw_identifier) && before[index].getRawIdentifier() == name &&
        before[index + 1].is(clang::tok::equal)) {
      return true;
    }
  }
  return false;
}

/// Moves tokens to `next`, so that it begins with the lambda in whose captures or parameters the
/// error is: Clang reads `"/a" [&app](fw::Request&) {}` as an element of an array.
void begin_with_lambda(ErrorTokens& tokens) {
  using namespace clang::tok;
  auto& [before, next, is_after_directive] = tokens;
  std::size_t begin = before.size();
  if (!next.empty() && next.front().isNot(l_square)) {
    begin = opening_bracket(before, false);
    if (begin < before.size() && begin > 0 && before[begin].is(l_paren) &&
        before[begin - 1].is(r_square)) {
      const std::vector<clang::Token> captures(before.begin(),
                                               before.begin() + static_cast<std::ptrdiff_t>(begin));
      begin = opening_bracket(captures, true);
    }
  }
  if (begin >= before.size() || before[begin].isNot(l_square)) return;
  const auto first = before.begin() + static_cast<std::ptrdiff_t>(begin);
  next.insert(next.begin(), first, before.end());
  before.erase(first, before.end());
}

/// Whether an argument may end with the token.
bool ends_value(const clang::Token& token) {
  using namespace clang::tok;
  return token.isOneOf(r_brace, r_paren, r_square, string_literal, numeric_constant,
                       raw_identifier) &&
         !is_keyword_before_lambda(token);
}

/// Where a comma is missing, if that is what the error is about: an item of a list, or an argument,
/// begins after the end of another one. Invalid if something else may be wrong.
clang::SourceLocation missing_comma(const FileContext& context,
                                    const ErrorCollector::Error& error) {
  using namespace clang::tok;
  const clang::SourceLocation place = error.message.location;
  const bool is_of_item =
      error.message.id == clang::diag::err_expected && error.message.text == "expected '}'";
  const bool is_of_argument =
      error.message.id == clang::diag::err_expected && error.message.text == "expected ')'";
  const bool is_of_member = is_about_member_of_value(error);
  if (place.isMacroID() || !context.at.in_main_file(place)) return {};
  ErrorTokens tokens = tokens_at(context, place);
  auto& [before, next, is_after_directive] = tokens;
  // Errors about members have the place of the name.
  if (is_of_member && !before.empty() && before.back().is(period) && next.front().isNot(period)) {
    next.insert(next.begin(), before.back());
    before.pop_back();
  }
  if (!is_of_item && !is_of_argument && !is_of_member) begin_with_lambda(tokens);
  if (before.empty() || next.size() < 3 || is_after_directive || next[0].getLocation() > place ||
      !ends_value(before.back()) || !are_closed(before, next)) {
    return {};
  }
  const clang::Token& last = before.back();
  const std::size_t list = opening_bracket(before, false);
  const auto line = [&](clang::SourceLocation at) {
    return context.at.sources().getSpellingLineNumber(at);
  };
  const bool is_on_later_line = line(next[0].getLocation()) > line(last.getLocation());
  const bool is_after_members =
      last.is(r_brace) && begins_members(before, opening_bracket(before, true));
  const bool is_in_call = list < before.size() && list > 0 && before[list].is(l_paren) &&
                          before[list - 1].is(raw_identifier);
  bool is_missing = false;
  if (is_of_item) {
    const bool is_name = next[0].is(raw_identifier) && !next[1].isOneOf(raw_identifier, period);
    is_missing = is_name || next[0].isOneOf(period, l_brace, string_literal, numeric_constant);
  } else if (is_of_member) {  // on the same line, it may be the wrong name of a real member
    const bool has_no_members =
        error.message.id == clang::diag::err_typecheck_member_reference_struct_union;
    is_missing = (is_on_later_line || has_no_members) && next[0].is(period) &&
                 next[1].is(raw_identifier) && next[2].isOneOf(equal, l_brace) &&
                 begins_members(before, list);
  } else if (is_of_argument) {  // after a handler, it is the ')' that is missing
    const bool is_handler = is_in_call && next[0].is(raw_identifier) && next[1].is(r_paren) &&
                            (last.is(string_literal) || is_after_members) &&
                            is_known_name(context, before, next[0]);
    is_missing = is_handler || (next[0].is(l_square) && is_after_members) ||
                 (begins_members(next, 0) &&
                  (is_after_members || (is_on_later_line && last.isNot(r_brace))));
  } else {
    is_missing = is_in_call && last.isOneOf(string_literal, raw_identifier) && begin_lambda(next);
  }
  return is_missing ? last.getEndLoc() : clang::SourceLocation();
}

/// A name of the framework, which is written instead of another one.
struct RightName {
  llvm::StringLiteral name;
  std::string message;
};

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

/// What is meant by `app.delete(…)` and by a misspelt FW_EXPORT_DEFAULT.
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

/// Whether the error is an unknown method of the router, for example one of another framework.
bool names_no_registration(const ErrorCollector::Error& error) {
  return error.message.id == clang::diag::err_no_member ||
                 error.message.id == clang::diag::err_no_member_suggest
             ? error.message.text.find("in 'fw::Router'") != std::string::npos
             : false;
}

void keep_generated_names(FileContext& context, const std::vector<ErrorCollector::Error>& errors) {
  std::set<model::Range> kept;  // errors of a template are reported again for each instantiation
  for (const auto& error : errors) {
    auto names = generated_names(context, error);
    if (names.empty() || !kept.insert(names.front().range).second) continue;
    std::erase_if(names, [](const model::GeneratedName& name) {
      return name.parts.size() < 2 && name.use != model::NameUse::type;
    });
    std::ranges::move(names, std::back_inserter(context.file.generated_names));
  }
}

/// Generated types are unknown here, so errors that may depend on them, outside of the factory and
/// in the files that name such types, are left to the build of the program.
class UnknownTypes {
 public:
  explicit UnknownTypes(const FileContext& context) : context_(context) {}

  void add(const ErrorCollector::Error& error) {
    // Each file that is included more than once has several ids.
    files_.insert(context_.at.token(error.message.location).file);
  }
  bool may_cause(const ErrorCollector::Error& error) const {
    if (files_.empty() || is_syntax_error(error) || is_preprocessing_error(error)) return false;
    const clang::SourceLocation location = error.message.location;
    return (context_.at.in_main_file(location) ||
            files_.contains(context_.at.token(location).file)) &&
           !belongs_to(context_, context_.bodies.factory, error);
  }

 private:
  const FileContext& context_;
  std::set<std::string> files_;
};

/// Whether the default export is initialised with a value of another type.
bool is_wrong_export(const ErrorCollector::Error& error) {
  return error.message.id == clang::diag::err_typecheck_nonviable_condition &&
         error.message.range.isValid() &&
         error.message.text.find("fw::DefaultExport'") != std::string::npos;
}

/// Usually, the value is the factory itself.
void report_wrong_export(FileContext& context, const ErrorCollector::Error& error) {
  const clang::SourceRange value = error.message.range;
  auto& diagnostic = context.report(model::rules::not_a_route_definition,
                                    "the default export is not the result of 'fw::define_routes'",
                                    context.at.of(value));
  diagnostic.help = "write 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { … });'";
  if (error.message.text.find("'void (fw::Router &)'") == std::string::npos) return;
  const auto& sources = context.at.sources();
  const llvm::StringRef name = clang::Lexer::getSourceText(
      clang::CharSourceRange::getTokenRange(value), sources, context.at.language());
  diagnostic.help = "write 'FW_EXPORT_DEFAULT = fw::define_routes(" + name.str() + ");'";
  const auto whole = context.at.characters(clang::CharSourceRange::getTokenRange(value));
  if (whole) diagnostic.fixes.push_back({*whole, "fw::define_routes(" + name.str() + ")"});
}

/// The name of a scheme where a list of schemes is needed.
bool is_of_requirement(const ErrorCollector::Error& error) {
  return error.message.text.find("no matching con") != std::string::npos &&
         error.message.text.find("fw::SecurityRequirement'") != std::string::npos;
}

/// The name of a template or of overloaded functions in `fw::define_routes(name)`, of which Clang
/// says that no function matches the call. Empty if it is another error.
std::string unsettled_factory(const FileContext& context, const ErrorCollector::Error& error) {
  using namespace clang::tok;
  const clang::SourceLocation place = error.message.location;
  const auto is_inference = [](const ErrorCollector::Message& note) {
    return note.text.find("couldn't infer template argument") != std::string::npos;
  };
  if (error.message.id != clang::diag::err_ovl_no_viable_function_in_call || place.isMacroID() ||
      error.message.text.find("'define_") == std::string::npos || !context.at.in_main_file(place) ||
      std::ranges::none_of(error.notes, is_inference)) {
    return {};
  }
  const ErrorTokens tokens = tokens_at(context, place);
  auto next = std::ranges::find_if(tokens.next, [](const auto& each) { return each.is(l_paren); });
  if (next == tokens.next.end()) return {};
  if ((++next)->is(amp)) ++next;
  const bool is_name =
      tokens.next.end() - next > 1 && next->is(raw_identifier) && next[1].is(r_paren);
  return is_name ? next->getRawIdentifier().str() : std::string();
}

/// Where the user's code needs what is wrong, if the error is in a header of the framework or of
/// the system. Otherwise, or if no note says where, the location of the error.
clang::SourceLocation location_of_user(const FileContext& context,
                                       const ErrorCollector::Error& error) {
  const auto& sources = context.at.sources();
  const auto is_of_user = [&](clang::SourceLocation location) {
    return location.isValid() && is_in_file_of_user(sources, sources.getExpansionLoc(location));
  };
  if (error.message.location.isInvalid() || is_of_user(error.message.location)) {
    return error.message.location;
  }
  for (const auto& note : error.notes) {
    if (is_of_user(note.location)) return note.location;
  }
  return error.message.location;
}

/// Of a failed assertion, what it says, without its condition.
std::string message_of(const ErrorCollector::Error& error) {
  constexpr llvm::StringLiteral kAssertion = "static assertion failed";
  constexpr llvm::StringLiteral kEnd = "': ";
  const llvm::StringRef text = error.message.text;
  const std::size_t end = text.find(kEnd);
  if (!text.starts_with(kAssertion) || end == llvm::StringRef::npos) return text.str();
  return text.drop_front(end + kEnd.size()).str();
}

/// Whether Clang has lost the structure of the code at the error.
bool report(FileContext& context, const ErrorCollector::Error& error, bool without_framework) {
  if (is_wrong_export(error)) {
    report_wrong_export(context, error);
    return false;
  }
  const clang::SourceLocation location = location_of_user(context, error);
  const bool is_moved = location != error.message.location;
  const bool redefined = error.message.id == clang::diag::err_redefinition &&
                         error.message.text.find("'fairway_default_export'") != std::string::npos;
  auto& diagnostic = context.report(
      redefined ? model::rules::several_default_exports : model::rules::does_not_parse,
      redefined  ? "this file has a second default export"
      : is_moved ? message_of(error)
                 : error.message.text,
      context.at.token(location));
  if (redefined) {
    diagnostic.help =
        "a file must have only one default export: move the other one to a separate file";
  } else if (without_framework) {
    diagnostic.help = "begin the file with '#include <fairway/fairway.hpp>'";
  } else if (is_of_requirement(error)) {
    diagnostic.help =
        "each scheme has braces of its own: 'fw::SecurityRequirement{{\"bearerAuth\"}}'";
  } else if (names_no_registration(error)) {
    diagnostic.help =
        "a route is registered by its method: 'get', 'post', 'put', 'patch', 'del', "
        "'head' or 'options'";
  }
  if (const std::string name = unsettled_factory(context, error); !name.empty()) {
    diagnostic.message = fmt::format("'{}' is a template or several functions", name);
    diagnostic.help = "pass a lambda, or a function of which there is only one";
    return false;  // its notes are about the framework
  }
  if (const auto right = right_name(context, error)) {
    diagnostic.message = right->message;
    const auto written = context.at.characters(clang::CharSourceRange::getTokenRange(location));
    if (written) diagnostic.fixes = {{*written, right->name.str()}};
    return true;
  }
  if (const auto comma = missing_comma(context, error); comma.isValid()) {
    const auto place = context.at.characters(clang::CharSourceRange::getCharRange(comma, comma));
    const auto line = context.at.byte(comma).line;
    diagnostic.message = "expected ','";
    diagnostic.help = line == diagnostic.range.line
                          ? std::string("is a ',' missing before this?")
                          : fmt::format("is a ',' missing at the end of line {}?", line);
    if (place) diagnostic.fixes = {{*place, ","}};
    return true;  // its notes are about another reading
  }
  if (!redefined) diagnostic.fixes = repairs(context, error);
  if (is_of_requirement(error)) return false;  // its notes are constructors
  if (is_moved) {
    diagnostic.notes.push_back({error.message.text, context.at.token(error.message.location)});
  }
  for (const auto& note : error.notes) {
    if (is_moved && note.location == location) continue;
    diagnostic.notes.push_back(
        {redefined ? "the first one is here" : note.text, context.at.token(note.location)});
  }
  return is_syntax_error(error);
}

/// Clang ignores flags of other compilers, and those without effect. A known flag with an invalid
/// value (`-std=c++1`) is an error, because ignoring it could change the meaning of the file.
bool is_of_unsupported_flag(unsigned id) {
  using namespace clang::diag;
  constexpr unsigned kIds[] = {err_drv_unknown_argument,
                               err_drv_unknown_argument_with_suggestion,
                               err_drv_unsupported_opt,
                               err_drv_unsupported_opt_with_suggestion,
                               err_drv_unsupported_opt_for_target,
                               err_drv_argument_only_allowed_with};
  return std::ranges::find(kIds, id) != std::end(kIds);
}

}  // namespace

namespace {

std::string without_unwritten_scopes(llvm::StringRef text) {
  constexpr llvm::StringLiteral kScope = "(anonymous namespace)::";
  std::string result;
  for (std::size_t at = text.find(kScope); at != llvm::StringRef::npos; at = text.find(kScope)) {
    result += text.take_front(at);
    text = text.drop_front(at + kScope.size());
  }
  return result + text.str();
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
  Message message{diagnostic.getID(),
                  diagnostic.getLocation(),
                  {},
                  without_unwritten_scopes(text),
                  diagnostic.getFixItHints().vec()};
  for (const auto& range : diagnostic.getRanges()) {
    if (range.isValid() && range.isTokenRange()) {
      message.range = range.getAsRange();
      break;
    }
  }
  if (!in_source_) {
    if (level >= clang::DiagnosticsEngine::Error && !is_of_unsupported_flag(message.id)) {
      about_flags_.push_back(message.text);
    }
    return;
  }
  if (level >= clang::DiagnosticsEngine::Error) {
    errors_.push_back({std::move(message), {}});
    last_is_error_ = true;
  } else if (last_is_error_ && !errors_.empty()) {
    errors_.back().notes.push_back(std::move(message));
  }
}

void ErrorCollector::BeginSourceFile(const clang::LangOptions&, const clang::Preprocessor*) {
  in_source_ = true;
}

std::vector<ErrorCollector::Error> ErrorCollector::take_from(std::size_t count) {
  const auto first = errors_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Error> taken(std::make_move_iterator(first), std::make_move_iterator(errors_.end()));
  errors_.erase(first, errors_.end());
  return taken;
}

clang::SourceRange ErrorCollector::Message::shown() const {
  return range.getBegin() == location ? range : clang::SourceRange(location);
}

std::string missing_system_header(const clang::SourceManager& sources,
                                  const std::vector<ErrorCollector::Error>& errors,
                                  bool are_excluded) {
  for (const auto& error : errors) {
    // Headers of the standard library have no '.' in their names.
    const bool is_excluded =
        are_excluded && error.message.text.find_first_of("./") == std::string::npos;
    if (error.message.id == clang::diag::err_pp_file_not_found &&
        (is_excluded || sources.isInSystemHeader(error.message.location))) {
      return error.message.text;
    }
  }
  return {};
}

void report_compile_errors(FileContext& context, const std::vector<ErrorCollector::Error>& errors) {
  const auto is_of_header = [&](const ErrorCollector::Error& error) {
    return std::ranges::any_of(context.bodies.in_headers, [&](clang::SourceRange body) {
      return contains(context, body, error.message.location);
    });
  };
  HandlerErrors of_handlers(context.bodies.handlers);
  HandlerErrors of_unregistered(context.bodies.unregistered);
  ConsequenceFilter follow_on(context);
  const auto add = [&](const ErrorCollector::Error& error) {
    if (follow_on.is_consequence(error)) return;
    if (report(context, error, follow_on.framework_is_missing())) follow_on.lose_structure();
  };
  if (context.reports_handlers) {
    for (const auto& error : errors) {
      if (is_of_header(error)) continue;
      if (!attach_clang_reason(context, error)) add(error);
    }
    return;
  }
  keep_generated_names(context, errors);
  UnknownTypes unknown_types(context);
  std::vector<const ErrorCollector::Error*> lost;
  bool is_in_explained = false;  // whether the last error was in a header, and explained
  for (const auto& error : errors) {
    if (is_of_header(error)) continue;
    // Of several errors in one instance of a template, only the first has notes.
    const bool is_in_header = !context.at.in_main_file(error.message.location);
    if (is_in_explained && is_in_header && error.notes.empty()) continue;
    is_in_explained = false;
    if (of_handlers.contain(context, error)) continue;
    if (attach_clang_reason(context, error)) {
      is_in_explained = is_in_header;
      continue;
    }
    if (names_generated_type(context, error)) {
      unknown_types.add(error);
      continue;
    }
    if (unknown_types.may_cause(error)) continue;
    if (of_unregistered.contain(context, error)) {
      lost.push_back(&error);
    } else {
      add(error);
    }
  }
  // A registration is missing, but there is no diagnostic.
  if (context.file.diagnostics.empty()) {
    for (const auto* error : lost) add(*error);
  }
}

bool is_extension_of_gcc(const ErrorCollector::Error& error) {
  return error.message.id == clang::diag::err_constexpr_var_requires_const_init ||
         error.message.id == clang::diag::err_variable_object_no_init;
}

}  // namespace fairway::frontend
