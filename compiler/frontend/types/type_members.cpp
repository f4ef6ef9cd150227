#include "frontend/types/type_members.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RawCommentList.h>

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "files/generated_note.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_value.hpp"
#include "model/json_names.hpp"

namespace fairway::frontend {
namespace {

using Json = nlohmann::ordered_json;

/// The member that `&Order::id` names; empty for other expressions.
std::string member_of_pointer(const clang::Stmt& node) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
  if (expression == nullptr) return {};
  const auto* pointer = llvm::dyn_cast<clang::UnaryOperator>(
      &strip_wrappers(*expression->IgnoreUnlessSpelledInSource()));
  if (pointer == nullptr || pointer->getOpcode() != clang::UO_AddrOf) return {};
  const clang::Expr* member = pointer->getSubExpr()->IgnoreParens();
  if (const auto* known = llvm::dyn_cast<clang::DeclRefExpr>(member)) {
    return llvm::isa<clang::FieldDecl>(known->getDecl()) ? known->getDecl()->getNameAsString() : "";
  }
  if (const auto* dependent = llvm::dyn_cast<clang::DependentScopeDeclRefExpr>(member)) {
    return dependent->getDeclName().getAsString();
  }
  return {};
}

/// Reads the body that `FW_JSON(Order, id, (customer_id, "customerId"), (note, kNote))` writes,
/// also in a macro of the application: the members by name, with their names in JSON.
class JsonMembers {
 public:
  JsonMembers(const FileContext& context, NamesInJson& names) : context_(context), names_(names) {}

  void read(const clang::FunctionDecl& function) {
    names_.listed.emplace();
    const clang::Stmt* body = pattern_of(function).getBody();
    if (body != nullptr) visit(*body);
    names_.is_unknown = names_.listed->empty();
  }

 private:
  /// `{name, &Order::id}` are neighbours.
  void visit(const clang::Stmt& node) {
    const clang::Stmt* before = nullptr;
    for (const clang::Stmt* child : node.children()) {
      if (child == nullptr) continue;
      const std::string member = before == nullptr ? "" : member_of_pointer(*child);
      const auto* name = llvm::dyn_cast_or_null<clang::Expr>(before);
      if (!member.empty() && name != nullptr) add(member, *name);
      before = child;
      visit(*child);
    }
  }

  void add(const std::string& member, const clang::Expr& name) {
    const clang::Expr& written = strip_wrappers(*name.IgnoreUnlessSpelledInSource());
    if (!written.isInstantiationDependent() && !written.containsErrors()) {
      const auto value = evaluate(context_, written, Purpose::path);
      const bool is_known = value.value && value.reasons.empty();
      if (is_known && value.value->kind == model::Value::Kind::string) {
        (*names_.listed)[member] = value.value->text;
        return;
      }
    }
    (*names_.listed)[member] = member;
    names_.unreadable[member] = context_.at.sources().getFileLoc(written.getBeginLoc());
  }

  const FileContext& context_;
  NamesInJson& names_;
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

/// "Three. @deprecated use two" becomes "Three. Deprecated: use two".
std::string without_deprecation(std::string text, bool& is_deprecated) {
  for (const llvm::StringRef command : {"@deprecated", "\\deprecated"}) {
    const auto found = text.find(command);
    if (found == std::string::npos) continue;
    is_deprecated = true;
    const llvm::StringRef rest = llvm::StringRef(text).substr(found + command.size());
    const bool has_reason = rest.starts_with(" ") && !rest.split('\n').first.trim().empty();
    text.replace(found, command.size(), has_reason ? "Deprecated:" : "");
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
  if (function != nullptr) JsonMembers(context, names).read(*function);
  return names;
}

NamesInJson names_of_base(const FileContext& context, const clang::CXXRecordDecl& base,
                          const NamesInJson& names) {
  return names.listed ? names : names_in_json(context, base);
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

clang::SourceLocation describe(const FileContext& context, const clang::Decl& declaration,
                               Json& schema) {
  bool is_deprecated = declaration.hasAttr<clang::DeprecatedAttr>();
  const clang::RawComment* comment = context.ast.getRawCommentForAnyRedecl(&declaration);
  if (comment != nullptr) {
    std::string text =
        comment->getFormattedText(context.at.sources(), context.ast.getDiagnostics());
    text = without_deprecation(std::move(text), is_deprecated);
    text = joined_lines(without_command(std::move(text), "brief"));
    if (!fw::base::count_code_points(text).well_formed) return comment->getBeginLoc();
    if (!text.empty()) schema["description"] = std::move(text);
  }
  if (is_deprecated) schema["deprecated"] = true;
  return {};
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

Json generated_schema(const clang::TagDecl& tag) {
  const clang::TagDecl* definition = tag.getDefinition();
  if (definition == nullptr) return Json::object();
  for (const auto* attribute : definition->specific_attrs<clang::AnnotateAttr>()) {
    llvm::StringRef text = attribute->getAnnotation();
    if (text.consume_front(files::kSchemaAttribute)) return Json::parse(text.begin(), text.end());
  }
  return Json::object();
}

}  // namespace fairway::frontend
