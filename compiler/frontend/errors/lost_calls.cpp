#include "frontend/errors/lost_calls.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/StringMap.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source/source_tokens.hpp"
#include "frontend/source/source_words.hpp"
#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

using Declarations = llvm::SmallVector<const clang::NamedDecl*, 1>;

std::string text_of_main_file(const FileContext& context) {
  const auto& sources = context.at.sources();
  return sources.getBufferData(sources.getMainFileID()).str();
}

}  // namespace

/// What is the same for all functions of the main file.
class CallIndex {
 public:
  explicit CallIndex(const FileContext& context)
      : text_(text_of_main_file(context)), tokens_(source_tokens(text_)) {
    add_scope(context, *context.ast.getTranslationUnitDecl());
  }

  const std::vector<SourceToken>& tokens() const { return tokens_; }
  /// The declarations of the name in namespaces.
  Declarations declarations(llvm::StringRef name) const {
    const auto found = declarations_.find(name);
    return found == declarations_.end() ? Declarations() : found->second;
  }

 private:
  void add_scope(const FileContext& context, const clang::DeclContext& scope) {
    for (const clang::Decl* declaration : scope.noload_decls()) {
      if (!context.at.in_main_file(declaration->getLocation())) continue;
      const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
      if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration)) {
        add_scope(context, *llvm::cast<clang::DeclContext>(declaration));
      } else if (named != nullptr && named->getIdentifier() != nullptr) {
        declarations_[named->getName()].push_back(named);
      }
    }
  }

  const std::string text_;
  const std::vector<SourceToken> tokens_;
  llvm::StringMap<Declarations> declarations_;
};

namespace {

const CallIndex& call_index(const FileContext& context) {
  if (!context.calls) context.calls = std::make_shared<CallIndex>(context);
  return *context.calls;
}

/// The functions of the class, or of its bases if it has none, and its other members.
void add_members(const clang::CXXRecordDecl& type, const clang::IdentifierInfo& name,
                 llvm::SmallVectorImpl<const clang::NamedDecl*>& found) {
  const clang::CXXRecordDecl* definition = type.getDefinition();
  if (definition == nullptr) return;
  for (const clang::NamedDecl* each : definition->lookup(clang::DeclarationName(&name))) {
    found.push_back(each->getUnderlyingDecl());
  }
  if (!found.empty()) return;
  for (const clang::CXXBaseSpecifier& base : definition->bases()) {
    const auto* parent = record_of(base.getType());
    if (parent != nullptr) add_members(*parent, name, found);
  }
}

/// Finds the innermost declaration of a name within a function.
class LocalName {
 public:
  LocalName(llvm::StringRef name, clang::SourceLocation location, const clang::SourceManager& at)
      : name_(name), location_(location), at_(at) {}

  const clang::NamedDecl* find(const clang::FunctionDecl& function) {
    enter(function);
    if (const clang::Stmt* body = function.getBody()) visit(*body);
    return found_;
  }

 private:
  void enter(const clang::FunctionDecl& function) {
    for (const clang::ParmVarDecl* parameter : function.parameters()) declare(*parameter);
  }

  void declare(const clang::NamedDecl& declaration) {
    if (declaration.getIdentifier() != nullptr && declaration.getName() == name_) {
      found_ = &declaration;
    }
    const auto* several = llvm::dyn_cast<clang::DecompositionDecl>(&declaration);
    if (several == nullptr) return;
    for (const clang::BindingDecl* each : several->bindings()) declare(*each);
  }

  bool contains_location(const clang::Stmt& node) const {
    const clang::SourceRange range = node.getSourceRange();
    return !at_.isBeforeInTranslationUnit(location_, range.getBegin()) &&
           !at_.isBeforeInTranslationUnit(range.getEnd(), location_);
  }

  /// A node that contains the location: what its statements declare before that is visible there.
  void visit(const clang::Stmt& node) {
    if (const auto* handler = llvm::dyn_cast<clang::CXXCatchStmt>(&node)) {
      if (handler->getExceptionDecl() != nullptr) declare(*handler->getExceptionDecl());
    }
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
      for (const clang::LambdaCapture& capture : lambda->captures()) {
        if (lambda->isInitCapture(&capture)) declare(*capture.getCapturedVar());
      }
      enter(*lambda->getCallOperator());
      const clang::Stmt* body = lambda->getBody();
      if (body != nullptr && contains_location(*body)) visit(*body);
      return;
    }
    for (const clang::Stmt* child : node.children()) {
      if (child == nullptr) continue;
      const auto* declared = llvm::dyn_cast<clang::DeclStmt>(child);
      const bool is_before =
          declared != nullptr && at_.isBeforeInTranslationUnit(child->getBeginLoc(), location_);
      if (is_before) {
        for (const clang::Decl* each : declared->decls()) {
          const auto* named = llvm::dyn_cast<clang::NamedDecl>(each);
          if (named != nullptr) declare(*named);
        }
      }
      if (contains_location(*child)) visit(*child);
    }
  }

  llvm::StringRef name_;
  clang::SourceLocation location_;
  const clang::SourceManager& at_;
  const clang::NamedDecl* found_ = nullptr;
};

/// The class whose function it is; lambdas belong to the function around them.
const clang::CXXRecordDecl* class_of(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method == nullptr || method->getParent()->isLambda() ? nullptr : method->getParent();
}

/// The function in which the lambda or the local class is; null for others.
const clang::FunctionDecl* function_around(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const clang::DeclContext* around =
      method == nullptr ? nullptr : method->getParent()->getDeclContext();
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(around);
}

/// Whether a base of the class has a function of this name.
bool is_inherited(const clang::CXXRecordDecl& type, const clang::IdentifierInfo& name) {
  return std::ranges::any_of(type.bases(), [&](const clang::CXXBaseSpecifier& base) {
    llvm::SmallVector<const clang::NamedDecl*, 1> found;
    const auto* parent = record_of(base.getType());
    if (parent != nullptr) add_members(*parent, name, found);
    return parent == nullptr || !found.empty();
  });
}

constexpr std::array<llvm::StringLiteral, 3> kEndsOfMember = {";", "{", "}"};
constexpr std::array<llvm::StringLiteral, 5> kUnevaluated = {"decltype", "sizeof", "alignof",
                                                             "noexcept", "typeid"};

/// Finds out which function the text calls.
class CallReader {
 public:
  CallReader(const FileContext& context, const clang::FunctionDecl& function)
      : context_(context),
        function_(function),
        sources_(context.at.sources()),
        index_(call_index(context)),
        tokens_(index_.tokens()) {}

  /// Null if that is not known, or if the name at the offset is none of a call.
  const clang::FunctionDecl* called(const SourceWords::Word& word) {
    location_ = word.location;
    const std::size_t at = index_of(word.offset);
    if (at + 1 >= tokens_.size() || text(at + 1) != "(" || is_unevaluated(at)) return nullptr;
    Declarations found;
    const std::string_view before = at == 0 ? "" : text(at - 1);
    if (before == "." || before == "->") {
      if (const auto* type = type_of_object(at - 1)) add_members(*type, *word.name, found);
    } else if (before == "::") {
      found = qualified(at);
    } else if (!is_declared_before(at)) {
      found = visible(*word.name);
    }
    if (found.size() > 1) erase_other_overloads(found, at + 1);
    const auto* function = found.size() == 1 ? function_of(*found.front()) : nullptr;
    const clang::FunctionDecl* defined = nullptr;
    const bool is_read = function != nullptr && function->getBody(defined) != nullptr &&
                         !may_be_virtual(*function) &&
                         context_.at.in_main_file(defined->getLocation());
    return is_read ? defined : nullptr;
  }

 private:
  /// Clang drops `virtual` if a type of the function is not known.
  bool may_be_virtual(const clang::FunctionDecl& function) const {
    if (may_be_overridden(function)) return true;
    const auto* type = class_of(function);
    if (!function.isInvalidDecl() || type == nullptr || !type->isPolymorphic()) return false;
    const clang::SourceLocation declared = function.getCanonicalDecl()->getLocation();
    if (function.getIdentifier() == nullptr || !context_.at.in_main_file(declared)) return true;
    // Back to the end of the member before.
    std::size_t at = index_of(sources_.getDecomposedExpansionLoc(declared).second);
    while (at > 0 && !is_one_of(kEndsOfMember, text(at - 1))) {
      if (text(--at) == "virtual") return true;
    }
    return is_inherited(*type->getDefinition(), *function.getIdentifier());
  }

  std::string_view text(std::size_t at) const { return tokens_[at].text; }

  /// Leaves the functions that take as many arguments as are in the parentheses.
  void erase_other_overloads(Declarations& found, std::size_t open) const {
    const auto arguments = arguments_in(open);
    const bool are_functions = llvm::all_of(
        found, [](const clang::NamedDecl* each) { return each->getAsFunction() != nullptr; });
    if (!arguments || !are_functions) return;
    llvm::erase_if(found, [&](const clang::NamedDecl* each) {
      return !takes(*each->getAsFunction(), *arguments);
    });
  }

  /// How many arguments are in the parentheses; empty if a `<` may begin template arguments,
  /// except in `valid<…>(`.
  std::optional<std::size_t> arguments_in(std::size_t open) const {
    if (text(open + 1) == ")") return 0;
    std::size_t count = 1;
    std::size_t depth = 0;
    for (std::size_t at = open; at < tokens_.size(); ++at) {
      const std::string_view each = text(at);
      if (each == "(" || each == "[" || each == "{") ++depth;
      if (each == ")" || each == "]" || each == "}") --depth;
      if (depth == 0) return count;
      if (each == "<" && text(at - 1) != "valid") return std::nullopt;
      if (each == "," && depth == 1) ++count;
    }
    return std::nullopt;
  }

  std::size_t index_of(std::size_t offset) const {
    const auto found = std::ranges::lower_bound(tokens_, offset, {}, &SourceToken::begin);
    return static_cast<std::size_t>(found - tokens_.begin());
  }

  /// Whether the token is in the parentheses of `sizeof(…)` or the like.
  bool is_unevaluated(std::size_t at) const {
    const std::size_t begin = begin_of_function();
    for (std::size_t depth = 0; at > begin; --at) {
      const std::string_view each = text(at - 1);
      if (each == ")" || each == "]" || each == "}") {
        ++depth;
      } else if (each == "(" || each == "[" || each == "{") {
        const bool is_around = depth == 0;
        if (!is_around) --depth;
        if (is_around && at > 1 && is_one_of(kUnevaluated, text(at - 2))) return true;
      }
    }
    return false;
  }

  std::size_t begin_of_function() const {
    return index_of(sources_.getDecomposedLoc(function_.getBody()->getBeginLoc()).second);
  }

  /// Whether a statement before the token that is missing, too, may declare its name: it is not
  /// called there.
  bool is_declared_before(std::size_t at) const {
    const std::string_view name = text(at);
    for (std::size_t each = begin_of_function(); each < at; ++each) {
      if (text(each) != name || text(each + 1) == "(") continue;
      const bool is_lost = std::ranges::any_of(
          context_.lost, [&](const LostWord& word) { return word.offset == tokens_[each].begin; });
      if (is_lost) return true;
    }
    return false;
  }

  /// What the name means without a scope before it.
  Declarations visible(const clang::IdentifierInfo& name) const {
    Declarations found;
    for (const auto* each = &function_; each != nullptr; each = function_around(*each)) {
      if (const auto* local = LocalName(name.getName(), location_, sources_).find(*each)) {
        return {local};
      }
      if (const auto* type = class_of(*each)) add_members(*type, name, found);
      if (!found.empty()) return found;
    }
    found = index_.declarations(name.getName());
    llvm::erase_if(found, is_other_declaration);
    return found;
  }

  /// Of a function whose body is elsewhere.
  static bool is_other_declaration(const clang::NamedDecl* declaration) {
    const clang::FunctionDecl* function = declaration->getAsFunction();
    return function != nullptr && !function->doesThisDeclarationHaveABody() &&
           function->isDefined();
  }

  /// `scope::name`: of a namespace, or a member of a class.
  Declarations qualified(std::size_t at) const {
    if (at < 2) return {};
    const llvm::StringRef scope = text(at - 2);
    Declarations found = index_.declarations(text(at));
    llvm::erase_if(found, [&](const clang::NamedDecl* each) {
      const auto* space =
          llvm::dyn_cast<clang::NamespaceDecl>(each->getDeclContext()->getRedeclContext());
      return is_other_declaration(each) || space == nullptr || space->isAnonymousNamespace() ||
             space->getName() != scope;
    });
    const auto* type = found.empty() ? type_named(at - 2) : nullptr;
    if (type != nullptr) add_members(*type, context_.ast.Idents.get(text(at)), found);
    return found;
  }

  /// The class that a name or an alias means; null if it is none, or that is not known.
  const clang::CXXRecordDecl* type_named(std::size_t at) const {
    if (tokens_[at].kind != SourceToken::Kind::name) return nullptr;
    const bool is_qualified = at > 0 && text(at - 1) == "::";
    const Declarations found =
        is_qualified ? qualified(at) : visible(context_.ast.Idents.get(text(at)));
    const clang::CXXRecordDecl* type = nullptr;
    for (const clang::NamedDecl* each : found) {
      const auto* named = llvm::dyn_cast<clang::TypeDecl>(each);
      const auto* record =
          named == nullptr ? nullptr : record_of(context_.ast.getTypeDeclType(named));
      const bool is_other = type != nullptr && record != nullptr &&
                            type->getCanonicalDecl() != record->getCanonicalDecl();
      if (record == nullptr || is_other) return nullptr;
      type = record;
    }
    return type;
  }

  /// The function itself, or the call operator of a variable whose value is a lambda.
  static const clang::FunctionDecl* function_of(const clang::NamedDecl& declaration) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    const auto* lambda = variable == nullptr ? nullptr : record_of(variable->getType());
    return lambda != nullptr && lambda->isLambda()
               ? lambda->getLambdaCallOperator()
               : declaration.getUnderlyingDecl()->getAsFunction();
  }

  /// The class of the object before `.` or `->`; null if it is not known.
  const clang::CXXRecordDecl* type_of_object(std::size_t access) const {
    if (access > 2 && text(access - 1) == ")" && text(access - 2) == "(") {
      return type_of_result(access - 3, text(access) == "->");
    }
    if (access == 0 || tokens_[access - 1].kind != SourceToken::Kind::name) return nullptr;
    const std::size_t name = access - 1;
    const std::string_view before = name == 0 ? "" : text(name - 1);
    clang::QualType type;
    if (before == "." || before == "->") {
      const auto* owner = type_of_object(name - 1);
      if (owner != nullptr) type = type_of_member(*owner, text(name));
    } else if (text(name) == "this") {
      for (const auto* each = &function_; each != nullptr; each = function_around(*each)) {
        if (const auto* own = class_of(*each)) return own;
      }
    } else if (before != "::") {
      type = type_of_variable(name);
    }
    return type.isNull() ? nullptr : accessed(type, text(access) == "->");
  }

  /// The class of what `orders()` returns, or `app.services().get<Orders>()`. `last`: before the
  /// parentheses.
  const clang::CXXRecordDecl* type_of_result(std::size_t last, bool is_pointer) const {
    if (text(last) == ">" && !is_pointer) return type_of_service(last);
    const std::string_view before = last == 0 ? "" : text(last - 1);
    if (before == "." || before == "->" || tokens_[last].kind != SourceToken::Kind::name ||
        is_declared_before(last)) {
      return nullptr;
    }
    const Declarations found =
        before == "::" ? qualified(last) : visible(context_.ast.Idents.get(text(last)));
    const auto* function =
        found.size() == 1 ? llvm::dyn_cast<clang::FunctionDecl>(found.front()) : nullptr;
    return function == nullptr || function->isInvalidDecl()
               ? nullptr
               : accessed(function->getReturnType(), is_pointer);
  }

  const clang::CXXRecordDecl* type_of_service(std::size_t close) const {
    constexpr std::array<llvm::StringLiteral, 6> kGet = {"services", "(", ")", ".", "get", "<"};
    std::size_t open = close;
    while (open > 0 &&
           (tokens_[open - 1].kind == SourceToken::Kind::name || text(open - 1) == "::")) {
      --open;
    }
    if (open < kGet.size() || open == close) return nullptr;
    for (std::size_t i = 0; i < kGet.size(); ++i) {
      if (text(open - kGet.size() + i) != std::string_view(kGet[i])) return nullptr;
    }
    return type_named(close - 1);
  }

  clang::QualType type_of_member(const clang::CXXRecordDecl& owner, llvm::StringRef name) const {
    Declarations found;
    add_members(owner, context_.ast.Idents.get(name), found);
    const auto* field =
        found.size() == 1 ? llvm::dyn_cast<clang::FieldDecl>(found.front()) : nullptr;
    return field == nullptr ? clang::QualType() : field->getType();
  }

  clang::QualType type_of_variable(std::size_t at) const {
    if (is_declared_before(at)) return {};
    const auto found = visible(context_.ast.Idents.get(text(at)));
    const auto* value =
        found.size() == 1 ? llvm::dyn_cast<clang::ValueDecl>(found.front()) : nullptr;
    return value == nullptr || value->isInvalidDecl() ? clang::QualType() : value->getType();
  }

  static const clang::CXXRecordDecl* accessed(clang::QualType type, bool is_pointer) {
    type = type.getNonReferenceType();
    if (!is_pointer) return record_of(type);
    if (type->isPointerType()) return record_of(type->getPointeeType());
    if (!is_std_type(type, {"unique_ptr", "shared_ptr", "optional"})) return nullptr;
    const auto* special =
        llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_of(type));
    return special == nullptr ? nullptr : record_of(type_argument(*special, 0));
  }

  const FileContext& context_;
  const clang::FunctionDecl& function_;
  const clang::SourceManager& sources_;
  const CallIndex& index_;
  const std::vector<SourceToken>& tokens_;
  clang::SourceLocation location_;
};

bool is_lost(const FileContext& context, const SourceWords::Word& word) {
  const auto found = std::ranges::lower_bound(context.lost, word.offset, {}, &LostWord::offset);
  return found != context.lost.end() && found->offset == word.offset;
}

}  // namespace

std::vector<LostCall> lost_calls(const FileContext& context, const clang::FunctionDecl& function,
                                 const clang::Stmt& body) {
  std::vector<LostCall> calls;
  if (context.lost.empty() || !context.at.in_main_file(body.getBeginLoc())) return calls;
  std::optional<CallReader> reader;
  for (const auto& word : context.words.in(context.at.sources(), body.getSourceRange())) {
    if (!is_lost(context, word)) continue;
    if (!reader) reader.emplace(context, function);
    const clang::FunctionDecl* called = reader->called(word);
    if (called != nullptr) calls.push_back({word.location, called});
  }
  return calls;
}

bool has_lost_uses(const FileContext& context, const clang::VarDecl& variable,
                   const clang::Stmt& body) {
  const auto words = context.words.in(context.at.sources(), body.getSourceRange());
  return std::ranges::any_of(words, [&](const SourceWords::Word& word) {
    return word.name == variable.getIdentifier() && is_lost(context, word);
  });
}

}  // namespace fairway::frontend
