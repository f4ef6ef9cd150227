#include "frontend/types/enumerator_names.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/LiteralSupport.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "frontend/types/type_members.hpp"

namespace fairway::frontend {
namespace {

constexpr llvm::StringLiteral kMacro = "NLOHMANN_JSON_SERIALIZE_ENUM";

/// `{Color::red, "RED"}`.
struct Pair {
  std::string enumerator = {};
  std::optional<std::string> name = {};  ///< empty: no string literal
  clang::SourceLocation location;
};

/// The use of the macro in the namespace.
clang::SourceLocation use_of_macro_in(const FileContext& context, const clang::DeclContext& scope,
                                      const clang::EnumDecl& enumeration) {
  const clang::DeclarationName name(&context.ast.Idents.get("to_json"));
  const auto& sources = context.at.sources();
  for (const clang::NamedDecl* each : scope.lookup(name)) {
    const auto* function = llvm::dyn_cast<clang::FunctionTemplateDecl>(each);
    if (function == nullptr || function->getTemplatedDecl()->getNumParams() != 2) continue;
    const clang::QualType type =
        function->getTemplatedDecl()->getParamDecl(1)->getType().getNonReferenceType();
    const auto* taken = type->getAs<clang::EnumType>();
    const bool is_own =
        taken != nullptr && taken->getDecl()->getCanonicalDecl() == enumeration.getCanonicalDecl();
    const clang::SourceLocation location = function->getLocation();
    if (is_own && location.isMacroID() &&
        clang::Lexer::getImmediateMacroName(location, sources, context.at.language()) == kMacro) {
      return sources.getImmediateExpansionRange(location).getBegin();
    }
  }
  return {};
}

/// The use of the macro for the enumeration: where its `to_json` is expanded. Invalid if there is
/// none.
clang::SourceLocation use_of_macro(const FileContext& context, const clang::EnumDecl& enumeration) {
  const clang::DeclContext* scope = enumeration.getDeclContext()->getRedeclContext();
  while (scope->isRecord()) scope = scope->getParent()->getRedeclContext();
  clang::SourceLocation use = use_of_macro_in(context, *scope, enumeration);
  // Argument-dependent lookup finds the functions of the namespaces around an inline namespace,
  // too.
  while (use.isInvalid() && scope->isInlineNamespace()) {
    scope = scope->getParent()->getRedeclContext();
    use = use_of_macro_in(context, *scope, enumeration);
  }
  return use;
}

/// The tokens between the parentheses of the macro.
std::vector<clang::Token> arguments_at(const FileContext& context, clang::SourceLocation use) {
  const auto& sources = context.at.sources();
  const clang::FileID file = sources.getFileID(use);
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), context.at.language(), text.begin(),
                     text.begin() + sources.getFileOffset(use), text.end());
  std::vector<clang::Token> tokens;
  clang::Token token;
  lexer.LexFromRawLexer(token);  // the name of the macro
  for (int depth = 0;;) {
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof)) return {};
    if (token.is(clang::tok::r_paren) && --depth == 0) return tokens;
    if (depth > 0) tokens.push_back(token);
    if (token.is(clang::tok::l_paren)) ++depth;
  }
}

/// Reads the pairs after the type.
class PairReader {
 public:
  PairReader(const FileContext& context, const std::vector<clang::Token>& tokens)
      : context_(context), tokens_(tokens) {}

  std::vector<Pair> read() {
    std::vector<Pair> pairs;
    while (next_ < tokens_.size() && tokens_[next_].isNot(clang::tok::comma)) ++next_;
    next_ += 2;  // the comma, and the outer brace
    while (is(clang::tok::l_brace)) {
      pairs.push_back(pair());
      if (is(clang::tok::comma)) ++next_;
    }
    return pairs;
  }

 private:
  bool is(clang::tok::TokenKind kind) const {
    return next_ < tokens_.size() && tokens_[next_].is(kind);
  }

  Pair pair() {
    Pair found{.location = tokens_[next_++].getLocation()};
    // `shop::Color::red`.
    while (is(clang::tok::raw_identifier) || is(clang::tok::coloncolon)) {
      const clang::Token& token = tokens_[next_++];
      if (token.is(clang::tok::raw_identifier)) found.enumerator = token.getRawIdentifier().str();
    }
    std::vector<clang::Token> literal;
    const bool is_enumerator = is(clang::tok::comma);
    if (is_enumerator) ++next_;
    while (is(clang::tok::string_literal)) literal.push_back(tokens_[next_++]);
    if (is_enumerator && !literal.empty() && is(clang::tok::r_brace)) {
      const clang::StringLiteralParser parsed(literal, context_.at.sources(),
                                              context_.at.language(), context_.ast.getTargetInfo());
      if (!parsed.hadError) found.name = parsed.GetString().str();
    }
    // After the brace, whatever is before it.
    for (int depth = 1; depth > 0 && next_ < tokens_.size(); ++next_) {
      if (is(clang::tok::l_brace)) ++depth;
      if (is(clang::tok::r_brace)) --depth;
    }
    return found;
  }

  const FileContext& context_;
  const std::vector<clang::Token>& tokens_;
  std::size_t next_ = 0;
};

/// Empty also for a use in another macro.
std::vector<Pair> pairs_at(const FileContext& context, clang::SourceLocation use) {
  if (!use.isFileID()) return {};
  const std::vector<clang::Token> tokens = arguments_at(context, use);
  return PairReader(context, tokens).read();
}

/// The name of an enumerator in a generated header: the schema has the names in the same order.
std::optional<std::string> generated_name(const FileContext& context,
                                          const clang::EnumDecl& enumeration,
                                          const clang::EnumConstantDecl& enumerator) {
  if (!context.at.in_generated_header(enumeration.getLocation())) return std::nullopt;
  const auto names = generated_schema(enumeration).value("enum", nlohmann::ordered_json::array());
  const auto all = enumeration.enumerators();
  const auto index = static_cast<std::size_t>(
      std::distance(all.begin(), std::find(all.begin(), all.end(), &enumerator)));
  if (index >= names.size()) return std::nullopt;
  return names[index].get<std::string>();
}

}  // namespace

std::string enumerator_name(const FileContext& context, const clang::EnumConstantDecl& enumerator) {
  const auto& enumeration = *llvm::cast<clang::EnumDecl>(enumerator.getDeclContext());
  if (auto name = generated_name(context, enumeration, enumerator)) return *std::move(name);
  const clang::SourceLocation use = use_of_macro(context, enumeration);
  if (use.isValid()) {
    for (Pair& each : pairs_at(context, use)) {
      if (each.enumerator == enumerator.getName() && each.name) return *std::move(each.name);
    }
  }
  return json_name(context, enumerator.getName());
}

std::optional<EnumeratorFailure> failure_of_names(const FileContext& context,
                                                  const clang::EnumDecl& enumeration) {
  const clang::SourceLocation use = use_of_macro(context, enumeration);
  if (use.isInvalid()) return std::nullopt;
  const std::vector<Pair> pairs = pairs_at(context, use);
  const std::string type = enumeration.getNameAsString();
  if (pairs.empty()) {
    return EnumeratorFailure{
        fmt::format("the pairs of '{}' for '{}' cannot be read", kMacro.str(), type),
        fmt::format("write the macro itself with a list of pairs: '{{{}::…, \"…\"}}'", type),
        context.at.sources().getFileLoc(use)};
  }
  for (const Pair& each : pairs) {
    const bool is_enumerator = std::ranges::any_of(
        enumeration.enumerators(),
        [&](const auto* enumerator) { return enumerator->getName() == each.enumerator; });
    if (!is_enumerator || !each.name) {
      return EnumeratorFailure{
          fmt::format("a pair of '{}' is not an enumerator of '{}' and a string literal",
                      kMacro.str(), type),
          fmt::format("write '{{{}::…, \"…\"}}': the route compiler reads the names from the "
                      "macro",
                      type),
          each.location};
    }
    if (std::ranges::count(pairs, each.enumerator, &Pair::enumerator) > 1) {
      return EnumeratorFailure{fmt::format("'{}' gives the enumerator '{}' several names",
                                           kMacro.str(), each.enumerator),
                               "write one of them: an enumerator has one name in JSON",
                               each.location};
    }
  }
  for (const clang::EnumConstantDecl* each : enumeration.enumerators()) {
    if (std::ranges::find(pairs, each->getNameAsString(), &Pair::enumerator) != pairs.end()) {
      continue;
    }
    return EnumeratorFailure{
        fmt::format("'{}' gives the enumerator '{}' no name", kMacro.str(),
                    each->getNameAsString()),
        fmt::format("add '{{{}::{}, \"…\"}}' to the macro", type, each->getNameAsString()),
        each->getLocation()};
  }
  return std::nullopt;
}

}  // namespace fairway::frontend
