#include "frontend/handlers/raise_options.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/raised_errors.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

constexpr std::string_view kRaiseOptions = "fw::RaiseOptions";

const clang::Expr* given_member(const clang::Expr* expression) {
  if (expression == nullptr) return nullptr;
  const clang::Expr& written = strip_wrappers(*expression);
  return llvm::isa<clang::CXXDefaultArgExpr, clang::CXXDefaultInitExpr>(written) ? nullptr
                                                                                 : expression;
}

/// A member of a structure in braces whose type is not known; null if it is not among them.
const clang::Expr* written_member(const clang::InitListExpr& list, llvm::StringRef name,
                                  unsigned index) {
  for (unsigned i = 0; i < list.getNumInits(); ++i) {
    const auto* designated = llvm::dyn_cast<clang::DesignatedInitExpr>(list.getInit(i));
    if (designated == nullptr) {
      if (i == index) return list.getInit(i);
      continue;
    }
    const clang::DesignatedInitExpr::Designator& first = *designated->getDesignator(0);
    if (first.isFieldDesignator() && first.getFieldName()->getName() == name) {
      return designated->getInit();
    }
  }
  return nullptr;
}

bool names(const clang::Expr& expression, const clang::VarDecl& variable) {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(expression));
  return reference != nullptr && reference->getDecl() == &variable;
}

/// What happens to a variable in the function that declares it.
class OptionsUses {
 public:
  OptionsUses(const clang::VarDecl& variable, const clang::Stmt& body) : variable_(variable) {
    visit(body, false);
  }

  bool may_be_changed() const { return is_changed_; }
  const clang::Expr* assigned(const std::string& name) const {
    const auto found = assigned_.find(name);
    return found == assigned_.end() ? nullptr : found->second;
  }

 private:
  /// `is_on_each_path`: whether the statement runs whenever the declaration does.
  void visit(const clang::Stmt& node, bool is_on_each_path) {
    if (is_changed_) return;
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(&node)) {
      return visit(*full->getSubExpr(), is_on_each_path);
    }
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node)) {
      const bool declares = std::any_of(block->body_begin(), block->body_end(),
                                        [&](const clang::Stmt* each) { return is_declared(each); });
      for (const clang::Stmt* each : block->body()) visit(*each, declares);
      return;
    }
    if (assigns(node, is_on_each_path) || is_read(node)) return;
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
      for (const auto& capture : lambda->captures()) {
        if (!lambda->isInitCapture(&capture)) continue;
        const auto* made = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
        if (made != nullptr && made->getInit() != nullptr) visit(*made->getInit(), false);
      }
      return visit(*lambda->getBody(), false);
    }
    // `options.details["id"] = 7`: not in the document.
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
        member != nullptr && names(*member->getBase(), variable_) && !is_documented(*member)) {
      return;
    }
    if (llvm::isa<clang::GotoStmt>(node)) is_changed_ = true;
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      is_changed_ = is_changed_ || reference->getDecl() == &variable_;
      return;
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) visit(*child, false);
    }
  }

  bool is_declared(const clang::Stmt* statement) const {
    const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
    return declaration != nullptr && std::find(declaration->decl_begin(), declaration->decl_end(),
                                               &variable_) != declaration->decl_end();
  }

  const clang::MemberExpr* member_of_variable(const clang::Expr& expression) const {
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&strip_wrappers(expression));
    return member != nullptr && names(*member->getBase(), variable_) ? member : nullptr;
  }

  /// What is not in the document needs not be known.
  static bool is_documented(const clang::MemberExpr& member) {
    const std::string name = member.getMemberDecl()->getNameAsString();
    return name == "status" || name == "message" || name == "code";
  }

  /// `options.code = "TAKEN"`.
  bool assigns(const clang::Stmt& node, bool is_on_each_path) {
    const clang::Expr* left = nullptr;
    const clang::Expr* right = nullptr;
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      if (operation->getOpcode() != clang::BO_Assign) return false;
      left = operation->getLHS();
      right = operation->getRHS();
    } else if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node)) {
      if (call->getOperator() != clang::OO_Equal) return false;
      left = call->getArg(0);
      right = call->getArg(1);
    }
    const auto* member = left == nullptr ? nullptr : member_of_variable(*left);
    if (member == nullptr) return false;
    const std::string name = member->getMemberDecl()->getNameAsString();
    const bool is_known = is_on_each_path && !is_used_ && assigned_.emplace(name, right).second;
    if (!is_known && is_documented(*member)) is_changed_ = true;
    visit(*right, false);
    return true;
  }

  /// A copy, a value of a member, or what is raised or returned.
  bool is_read(const clang::Stmt& node) {
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&node)) {
      const bool is_const =
          cast->getCastKind() == clang::CK_LValueToRValue ||
          (cast->getCastKind() == clang::CK_NoOp && cast->getType().isConstQualified());
      const clang::Expr& read = *cast->getSubExpr();
      if (!is_const || !(names(read, variable_) || member_of_variable(read))) return false;
      is_used_ = true;
      return true;
    }
    if (const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(&node)) {
      const clang::Expr* value = returned->getRetValue();
      // A reference that is returned may change it.
      if (value == nullptr || value->isGLValue() ||
          !names(*value->IgnoreUnlessSpelledInSource(), variable_)) {
        return false;
      }
      is_used_ = true;
      return true;
    }
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    if (call == nullptr || call->getNumArgs() != 1 || !names(*call->getArg(0), variable_)) {
      return false;
    }
    const std::string name = called_name(*call->getCallee());
    if (name != "std::move" && !is_raise(name)) return false;
    is_used_ = true;
    return true;
  }

  const clang::VarDecl& variable_;
  std::map<std::string, const clang::Expr*> assigned_;
  bool is_used_ = false;
  bool is_changed_ = false;
};

class OptionsReader {
 public:
  explicit OptionsReader(const FileContext& context) : context_(context) {}

  std::vector<RaiseMembers> read(const clang::Expr& expression) {
    if (++depth_ > kMaxNames) return {};
    auto found = values(strip_wrappers(*expression.IgnoreUnlessSpelledInSource()));
    --depth_;
    return found;
  }

 private:
  std::vector<RaiseMembers> values(const clang::Expr& e) {
    if (const auto* unresolved = llvm::dyn_cast<clang::CXXUnresolvedConstructExpr>(&e)) {
      const bool is_named = qualified_type_name(unresolved->getTypeAsWritten()) == kRaiseOptions;
      return is_named && unresolved->getNumArgs() == 1 ? read(*unresolved->getArg(0))
                                                       : std::vector<RaiseMembers>();
    }
    if (const auto* named = llvm::dyn_cast<clang::ExplicitCastExpr>(&e)) {
      return read(*named->getSubExpr());
    }
    if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
      if (!is_raise_options(construct->getType())) return {};
      if (construct->getNumArgs() == 0) return {RaiseMembers()};
      return construct->getNumArgs() == 1 ? read(*construct->getArg(0))
                                          : std::vector<RaiseMembers>();
    }
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&e)) return in_braces(*list);
    // Of braces, each member is checked by itself.
    if (dependence_of(context_, e).condition != nullptr) return {};
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e)) {
      auto found = read(*choice->getTrueExpr());
      std::ranges::move(read(*choice->getFalseExpr()), std::back_inserter(found));
      return found;
    }
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      return variable == nullptr ? std::vector<RaiseMembers>() : of_variable(*variable);
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) return of_call(*call);
    return {};
  }

  static std::vector<RaiseMembers> in_braces(const clang::InitListExpr& written) {
    const clang::InitListExpr* list = &written;
    if (list->isSyntacticForm() && list->getSemanticForm() != nullptr) {
      list = list->getSemanticForm();
    }
    if (is_raise_options(list->getType())) {
      if (list->getNumInits() < 3) return {};
      return {{given_member(list->getInit(0)), given_member(list->getInit(1)),
               given_member(list->getInit(2))}};
    }
    if (!list->getType()->isVoidType()) return {};
    // A value has a type that is not known.
    return {{written_member(*list, "status", 0), written_member(*list, "message", 1),
             written_member(*list, "code", 2)}};
  }

  std::vector<RaiseMembers> of_variable(const clang::VarDecl& variable) {
    const clang::Expr* initialiser = variable.getAnyInitializer();
    if (initialiser == nullptr || llvm::isa<clang::ParmVarDecl>(variable)) return {};
    if (!is_raise_options(variable.getType()) && !variable.getType()->isDependentType()) return {};
    auto found = read(*initialiser);
    if (variable.getType().getNonReferenceType().isConstQualified()) return found;
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
    const clang::Stmt* body = function == nullptr ? nullptr : function->getBody();
    if (body == nullptr || variable.getType()->isReferenceType()) return {};
    const OptionsUses uses(variable, *body);
    if (uses.may_be_changed()) return {};
    for (RaiseMembers& each : found) {
      if (const auto* status = uses.assigned("status")) each.status = status;
      if (const auto* message = uses.assigned("message")) each.message = message;
      if (const auto* code = uses.assigned("code")) each.code = code;
    }
    return found;
  }

  std::vector<RaiseMembers> of_call(const clang::CallExpr& call) {
    if (called_name(*call.getCallee()) == "std::move" && call.getNumArgs() == 1) {
      return read(*call.getArg(0));
    }
    const clang::FunctionDecl* function = called_function(call);
    const clang::FunctionDecl* defined = nullptr;
    const clang::Stmt* body =
        function == nullptr ? nullptr : instantiated(context_, *function).getBody(defined);
    if (body == nullptr || function->getReturnType()->isReferenceType() ||
        !is_raise_options(function->getReturnType()) || may_be_overridden(*function) ||
        !is_read(context_, *function, *body)) {
      return {};
    }
    std::vector<RaiseMembers> found;
    add_returned(*body, found);
    return found;
  }

  void add_returned(const clang::Stmt& node, std::vector<RaiseMembers>& found) {
    if (llvm::isa<clang::LambdaExpr>(node)) return;
    if (const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(&node)) {
      if (returned->getRetValue() != nullptr) {
        std::ranges::move(read(*returned->getRetValue()), std::back_inserter(found));
      }
      return;
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) add_returned(*child, found);
    }
  }

  const FileContext& context_;
  int depth_ = 0;
};

/// A call that raises the parameter, in the statement.
bool has_raise(const clang::Stmt& node, const clang::ParmVarDecl& parameter) {
  const clang::Expr* raised = nullptr;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
    if (is_raise(called_name(*call->getCallee())) && call->getNumArgs() > 0) {
      raised = call->getArg(0);
    }
  } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    if (qualified_type_name(construct->getType()) == "fw::HttpError" &&
        construct->getNumArgs() == 1) {
      raised = construct->getArg(0);
    }
  }
  if (raised != nullptr) {
    const clang::Expr* e = &strip_wrappers(*raised->IgnoreUnlessSpelledInSource());
    const auto* moved = llvm::dyn_cast<clang::CallExpr>(e);
    if (moved != nullptr && moved->getNumArgs() == 1 &&
        called_name(*moved->getCallee()) == "std::move") {
      e = &strip_wrappers(*moved->getArg(0));
    }
    if (names(*e, parameter)) return true;
  }
  return std::any_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
    return child != nullptr && has_raise(*child, parameter);
  });
}

}  // namespace

bool is_raise_options(clang::QualType type) { return qualified_type_name(type) == kRaiseOptions; }

std::vector<RaiseMembers> raise_options(const FileContext& context, const clang::Expr& expression) {
  return OptionsReader(context).read(expression);
}

bool raises_parameter(const FileContext& context, const clang::FunctionDecl& function,
                      const clang::ParmVarDecl& parameter) {
  const clang::Stmt* body = function.getBody();
  if (body == nullptr || !is_read(context, function, *body) ||
      !is_raise_options(parameter.getType()) || !has_raise(*body, parameter)) {
    return false;
  }
  const OptionsUses uses(parameter, *body);
  return parameter.getType().getNonReferenceType().isConstQualified() || !uses.may_be_changed();
}

}  // namespace fairway::frontend
