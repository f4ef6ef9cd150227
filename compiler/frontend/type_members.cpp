#include "frontend/type_members.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RawCommentList.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/LiteralSupport.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "frontend/file_reading.hpp"
#include "frontend/registration_call.hpp"
#include "frontend/static_value.hpp"
#include "frontend/type_queries.hpp"
#include "model/json_names.hpp"

namespace fairway::frontend {
namespace {

using Json = nlohmann::ordered_json;

/// The first string that an expression at this place in the source is.
std::optional<std::string> string_at(const FileContext& context, const clang::Stmt& statement,
                                     clang::SourceLocation location) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  const bool is_there = expression != nullptr &&
                        context.at.sources().getSpellingLoc(expression->getBeginLoc()) == location;
  if (is_there && !expression->isInstantiationDependent() && !expression->containsErrors()) {
    const auto value = evaluate(context, *expression, Purpose::path);
    const bool is_known = value.value && value.reasons.empty();
    if (is_known && value.value->kind == model::Value::Kind::string) return value.value->text;
  }
  for (const clang::Stmt* child : statement.children()) {
    if (child == nullptr) continue;
    if (auto text = string_at(context, *child, location)) return text;
  }
  return std::nullopt;
}

/// Reads `FW_JSON(Order, id, (customer_id, "customerId"), (note, kNote))`: the members by name,
/// with their names in JSON.
class JsonMacro {
 public:
  JsonMacro(const FileContext& context, const clang::FunctionDecl& function)
      : context_(context), function_(function) {}

  void read(NamesInJson& names) {
    names.listed.emplace();
    const auto& sources = context_.at.sources();
    const auto range = sources.getExpansionRange(function_.getLocation());
    bool invalid = false;
    const llvm::StringRef text =
        clang::Lexer::getSourceText(range, sources, context_.at.language(), &invalid);
    if (invalid) return;
    clang::Lexer lexer(range.getBegin(), context_.at.language(), text.begin(), text.begin(),
                       text.end());
    clang::Token token;
    int depth = 0;
    int argument = 0;
    for (bool is_last = false; !is_last;) {
      is_last = lexer.LexFromRawLexer(token);
      if (token.is(clang::tok::l_paren)) ++depth;
      const bool ends_argument =
          depth == 1 && token.isOneOf(clang::tok::comma, clang::tok::r_paren);
      if (ends_argument) {
        if (argument++ > 0) add(names);
        tokens_.clear();
      } else if (depth > 1 || !token.is(clang::tok::l_paren)) {
        tokens_.push_back(token);
      }
      if (token.is(clang::tok::r_paren)) --depth;
    }
  }

 private:
  /// `id`, or `(customer_id, name)`.
  void add(NamesInJson& names) const {
    const bool is_pair = tokens_.size() > 4 && tokens_[0].is(clang::tok::l_paren) &&
                         tokens_[2].is(clang::tok::comma);
    const std::size_t index = is_pair ? 1 : 0;
    if (tokens_.size() <= index || !tokens_[index].is(clang::tok::raw_identifier)) return;
    const std::string member = tokens_[index].getRawIdentifier().str();
    const auto name = is_pair ? name_of_pair() : member;
    if (name) {
      (*names.listed)[member] = *name;
    } else {
      (*names.listed)[member] = member;
      names.unreadable[member] = tokens_[3].getLocation();
    }
  }

  std::optional<std::string> name_of_pair() const {
    const clang::Token& first = tokens_[3];
    if (tokens_.size() == 5 && first.is(clang::tok::string_literal)) {
      const clang::StringLiteralParser literal(first, context_.at.sources(), context_.at.language(),
                                               context_.ast.getTargetInfo());
      return literal.hadError ? std::nullopt : std::optional(literal.GetString().str());
    }
    const clang::Stmt* body = pattern_of(function_).getBody();
    return body == nullptr ? std::nullopt : string_at(context_, *body, first.getLocation());
  }

  const FileContext& context_;
  const clang::FunctionDecl& function_;
  std::vector<clang::Token> tokens_;  ///< of the argument
};

/// The function that FW_JSON declares for the struct; null if there is none.
const clang::FunctionDecl* members_function(const FileContext& context,
                                            const clang::CXXRecordDecl& record) {
  const clang::DeclarationName name(&context.ast.Idents.get("fw_json_members"));
  const auto takes_it = [&](const clang::FunctionDecl& function) {
    if (function.getNumParams() != 1) return false;
    const clang::QualType type = function.getParamDecl(0)->getType();
    return type->isPointerType() && type->getPointeeType()->getAsCXXRecordDecl() != nullptr &&
           type->getPointeeType()->getAsCXXRecordDecl()->getCanonicalDecl() ==
               record.getCanonicalDecl();
  };
  const auto search = [&](const clang::DeclContext& scope) -> const clang::FunctionDecl* {
    for (const clang::NamedDecl* each : scope.lookup(name)) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(each);
      if (function != nullptr && takes_it(*function)) return function;
    }
    return nullptr;
  };
  if (const auto* inside = search(record)) return inside;
  return search(*record.getDeclContext()->getRedeclContext());
}

std::string without_command(std::string text, llvm::StringRef command) {
  for (const char mark : {'@', '\\'}) {
    const std::string written = mark + command.str();
    const auto found = text.find(written);
    if (found != std::string::npos) text.erase(found, written.size());
  }
  return text;
}

/// The lines of a comment as one text; empty lines separate paragraphs.
std::string joined_lines(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::string result;
  bool is_new_paragraph = false;
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (line.empty()) {
      is_new_paragraph = !result.empty();
      continue;
    }
    if (!result.empty()) result += is_new_paragraph ? "\n\n" : " ";
    result += line.str();
    is_new_paragraph = false;
  }
  return result;
}

}  // namespace

std::optional<std::string> NamesInJson::of(const clang::FieldDecl& field) const {
  if (!listed) return json_name(context, field.getName());
  const auto found = listed->find(field.getNameAsString());
  if (found == listed->end()) return std::nullopt;
  return found->second;
}

NamesInJson names_in_json(const FileContext& context, const clang::CXXRecordDecl& record) {
  NamesInJson names{context, std::nullopt};
  const auto* function = members_function(context, record);
  if (function != nullptr && function->getLocation().isMacroID()) {
    JsonMacro(context, *function).read(names);
  }
  return names;
}

bool has_own_conversion(const clang::CXXRecordDecl& record) {
  const auto takes_it = [&](const clang::FunctionDecl* function) {
    if (function == nullptr || function->getNumParams() != 2) return false;
    const auto* second = record_of(function->getParamDecl(1)->getType());
    return second != nullptr && second->getCanonicalDecl() == record.getCanonicalDecl();
  };
  const clang::DeclarationName name(&record.getASTContext().Idents.get("to_json"));
  for (const clang::FriendDecl* each : record.friends()) {
    const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(each->getFriendDecl());
    if (function != nullptr && function->getDeclName() == name && takes_it(function)) return true;
  }
  const clang::DeclContext* scope = record.getDeclContext()->getRedeclContext();
  while (scope->isRecord()) scope = scope->getParent()->getRedeclContext();
  const auto found = scope->lookup(name);
  return std::any_of(found.begin(), found.end(), [&](const clang::NamedDecl* each) {
    return takes_it(llvm::dyn_cast<clang::FunctionDecl>(each));
  });
}

std::string json_name(const FileContext& context, llvm::StringRef name) {
  return context.json_names == model::JsonNames::camel_case ? model::camel_case(name) : name.str();
}

void describe(const FileContext& context, const clang::Decl& declaration, Json& schema) {
  bool is_deprecated = declaration.hasAttr<clang::DeprecatedAttr>();
  const clang::RawComment* comment = context.ast.getRawCommentForAnyRedecl(&declaration);
  if (comment != nullptr) {
    std::string text =
        comment->getFormattedText(context.at.sources(), context.ast.getDiagnostics());
    for (const llvm::StringRef command : {"deprecated"}) {
      const std::string shorter = without_command(text, command);
      is_deprecated = is_deprecated || shorter.size() != text.size();
      text = shorter;
    }
    text = joined_lines(without_command(std::move(text), "brief"));
    if (!text.empty()) schema["description"] = std::move(text);
  }
  if (is_deprecated) schema["deprecated"] = true;
}

void note_field_text(FileContext& context, clang::TypeLoc written) {
  written = without_aliases(written);
  const auto specialised = written.isNull() ? clang::TemplateSpecializationTypeLoc()
                                            : written.getAs<clang::TemplateSpecializationTypeLoc>();
  if (specialised.isNull() || specialised.getNumArgs() == 0) return;
  const clang::Expr* argument = specialised.getArgLoc(0).getSourceExpression();
  if (argument == nullptr) return;
  auto text = evaluate(context, *argument->IgnoreUnlessSpelledInSource(), Purpose::path).value;
  if (!text || text->kind != model::Value::Kind::string) return;
  const bool is_new = std::ranges::none_of(context.file.field_texts, [&](const model::Value& each) {
    return each.range == text->range;
  });
  if (is_new) context.file.field_texts.push_back(std::move(*text));
}

}  // namespace fairway::frontend
