#include <clang/Parse/ParseDiagnostic.h>
#include <clang/Sema/SemaDiagnostic.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "frontend/errors/error_causes.hpp"

namespace fairway::frontend {
namespace {

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

}  // namespace

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
    const bool is_of_temporary = last.is(r_brace);  // nobody assigns to one in a list
    is_missing = (is_on_later_line || has_no_members || is_of_temporary) && next[0].is(period) &&
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

}  // namespace fairway::frontend
