#include "frontend/handlers/passed_values.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <utility>

#include "frontend/handlers/response_use.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

using Found = llvm::function_ref<void(const clang::ValueDecl&)>;

void find_unread(const clang::Stmt& node, Found found);

/// An expression of which only the value is used.
void find_in_read(const clang::Expr& expression, Found found) {
  const clang::Expr& e = strip_wrappers(expression);
  if (llvm::isa<clang::DeclRefExpr>(e)) return;
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e);
  member == nullptr ? find_unread(e, found) : find_unread(*member->getBase(), found);
}

/// Whether the functions that a call may name get a value, or a reference by which they cannot
/// change it.
bool only_reads(const clang::OverloadExpr& overloads, unsigned index) {
  return llvm::all_of(overloads.decls(), [&](const clang::NamedDecl* each) {
    const clang::FunctionDecl* function = each->getUnderlyingDecl()->getAsFunction();
    if (function == nullptr || index >= function->getNumParams()) return false;
    const clang::QualType type = function->getParamDecl(index)->getType();
    return !type->isReferenceType() || type->getPointeeType().isConstQualified();
  });
}

/// Whether objects of the class keep copies of what their constructors get.
bool is_copying(const clang::CXXRecordDecl& type) {
  return is_in_namespace(type, "nlohmann") ||
         (is_in_namespace(type, "fw") && type.getName() == "JsonLiteral") ||
         (type.isInStdNamespace() &&
          (type.getName() == "basic_string" || type.getName() == "basic_string_view"));
}

/// Whether constructors of the class, or of its arguments if it is a template, may keep references
/// by which they change what they get.
bool may_keep_references(clang::QualType type, int depth = 0) {
  const auto* record = record_of(type);
  record = record == nullptr ? nullptr : record->getDefinition();
  if (record == nullptr || is_copying(*record)) return false;
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  if (record->isInStdNamespace()) {
    return special != nullptr && depth < kMaxNames &&
           llvm::any_of(
               special->getTemplateArgs().asArray(),
               [&](const auto& each) {
                 return each.getKind() == clang::TemplateArgument::Type &&
                        may_keep_references(each.getAsType(), depth + 1);
               });
  }
  if (record->isAggregate()) {
    return llvm::any_of(record->fields(),
                        [](const auto* each) { return each->getType()->isReferenceType(); });
  }
  return llvm::any_of(record->ctors(), [](const clang::CXXConstructorDecl* each) {
    return !each->isCopyOrMoveConstructor() &&
           llvm::any_of(each->parameters(), [](const clang::ParmVarDecl* parameter) {
             const clang::QualType got = parameter->getType();
             return got->isLValueReferenceType() && !got->getPointeeType().isConstQualified();
           });
  });
}

/// `std::make_unique<T>(…)`, `items.emplace_back(…)` and the like, if the object that they
/// construct changes none of the arguments, and `std::format`.
bool only_constructs(const clang::CallExpr& call) {
  const clang::FunctionDecl* function = call.getDirectCallee();
  if (function == nullptr || !function->getDeclName().isIdentifier()) return false;
  const llvm::StringRef name = function->getName();
  if (name == "format" &&
      (is_in_namespace(*function, "std") || is_in_namespace(*function, "fmt"))) {
    return true;
  }
  if (!function->isInStdNamespace() && !is_in_namespace(*function, "nlohmann")) return false;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method == nullptr) {
    return name.starts_with("make_") && !may_keep_references(function->getReturnType());
  }
  const clang::QualType owner = function->getASTContext().getRecordType(method->getParent());
  return name.contains("emplace") && !may_keep_references(owner) &&
         !may_keep_references(function->getReturnType());
}

/// A call in a template, whose arguments are not converted yet.
void find_in_unresolved(const clang::CallExpr& call, Found found) {
  const auto use = member_use(call);
  const bool is_of_response = use && qualified_type_name(use->object->getType()) == "fw::Response";
  const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(call.getCallee()->IgnoreParens());
  find_unread(*call.getCallee(), found);
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    const bool is_read = is_of_response || (overloads != nullptr && only_reads(*overloads, i));
    is_read ? find_in_read(*call.getArg(i), found) : find_unread(*call.getArg(i), found);
  }
}

/// The variables and members that an expression names other than to read their values.
void find_unread(const clang::Stmt& node, Found found) {
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
    auto initialiser = lambda->capture_init_begin();
    for (const clang::LambdaCapture& capture : lambda->captures()) {
      const clang::Expr* made = *initialiser++;
      // What the lambda does with other captures is in its body.
      if (lambda->isInitCapture(&capture) && made != nullptr) find_unread(*made, found);
    }
    return find_unread(*lambda->getBody(), found);
  }
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&node)) {
    const bool is_read =
        cast->getCastKind() == clang::CK_LValueToRValue ||
        (cast->getCastKind() == clang::CK_NoOp && cast->getType().isConstQualified());
    if (is_read) return find_in_read(*cast->getSubExpr(), found);
  }
  if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node)) {
    if (const clang::Expr* same = passed_through(*expression)) return find_in_read(*same, found);
  }
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node);
      construct != nullptr && is_copying(*construct->getConstructor()->getParent())) {
    for (const clang::Expr* each : construct->arguments()) find_in_read(*each, found);
    return;
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  if (call != nullptr && call->isTypeDependent()) return find_in_unresolved(*call, found);
  if (call != nullptr && only_constructs(*call)) {
    find_unread(*call->getCallee(), found);
    for (const clang::Expr* each : call->arguments()) find_in_read(*each, found);
    return;
  }
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) found(*name->getDecl());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
    found(*member->getMemberDecl());
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) find_unread(*child, found);
  }
}

}  // namespace

bool is_text(clang::QualType type) {
  if (type->isLValueReferenceType() && !type->getPointeeType().isConstQualified()) return false;
  type = type.getNonReferenceType();
  if (type->isPointerType() || type->isArrayType()) {
    const clang::QualType item = type->isPointerType()
                                     ? type->getPointeeType()
                                     : clang::QualType(type->getArrayElementTypeNoTypeQual(), 0);
    return item->isCharType() && (type->isArrayType() || item.isConstQualified());
  }
  return is_std_type(type, {"basic_string", "basic_string_view"});
}

bool is_only_read(const clang::VarDecl& variable, const clang::Stmt& body) {
  if (variable.getType().getNonReferenceType().isConstQualified()) return true;
  bool is_changed = false;
  find_unread(body,
              [&](const clang::ValueDecl& each) { is_changed = is_changed || &each == &variable; });
  return !is_changed;
}

const Statuses* PassedValues::statuses(const clang::ValueDecl& parameter) const {
  const auto known = statuses_.find(&parameter);
  return known == statuses_.end() ? nullptr : &known->second;
}

void PassedValues::set_statuses(const clang::ParmVarDecl& parameter, const clang::Stmt& body,
                                Statuses statuses) {
  if (keeps(parameter, body)) {
    statuses_.insert_or_assign(&parameter, std::move(statuses));
  } else {
    statuses_.erase(&parameter);
  }
}

const Texts* PassedValues::texts(const clang::ValueDecl& parameter) const {
  const auto known = texts_.find(&parameter);
  return known == texts_.end() ? nullptr : &known->second;
}

void PassedValues::set_texts(const clang::ParmVarDecl& parameter, const clang::Stmt& body,
                             Texts texts) {
  if (keeps(parameter, body)) {
    texts_.insert_or_assign(&parameter, std::move(texts));
  } else {
    texts_.erase(&parameter);
  }
}

void PassedValues::forget(const clang::ParmVarDecl& parameter) {
  statuses_.erase(&parameter);
  texts_.erase(&parameter);
}

bool PassedValues::is_kept(const clang::VarDecl& variable) const {
  if (!variable.hasLocalStorage() || llvm::isa<clang::ParmVarDecl>(variable)) return false;
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  const clang::Stmt* body = function == nullptr ? nullptr : function->getBody();
  return variable.getType().isConstQualified() || (body != nullptr && keeps(variable, *body));
}

void PassedValues::enter(const clang::Stmt& body) {
  if (!entered_.insert(&body).second) return;
  find_unread(body, [&](const clang::ValueDecl& each) {
    const auto* member = llvm::dyn_cast<clang::FieldDecl>(&each);
    // `auto& [response, status] = reply`.
    const auto* binding = llvm::dyn_cast<clang::BindingDecl>(&each);
    const auto* object = binding == nullptr ? nullptr : binding->getDecomposedDecl();
    const bool is_reference = object != nullptr && object->getType()->isReferenceType();
    const clang::Expr* part = is_reference ? binding->getBinding() : nullptr;
    if (const auto* named = llvm::dyn_cast_or_null<clang::MemberExpr>(part)) {
      member = llvm::dyn_cast<clang::FieldDecl>(named->getMemberDecl());
    }
    if (member != nullptr) changed_.insert(member);
  });
}

bool PassedValues::keeps(const clang::VarDecl& variable, const clang::Stmt& body) const {
  const auto [known, is_new] = only_read_.try_emplace(&variable, true);
  if (is_new) known->second = is_only_read(variable, body);
  return known->second;
}

}  // namespace fairway::frontend
