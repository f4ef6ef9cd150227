#include "frontend/handlers/raise_options.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

using Arguments = llvm::ArrayRef<const clang::Expr*>;

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

/// A member that the document has: `options.code`.
bool is_documented(const clang::MemberExpr& member) {
  const std::string name = member.getMemberDecl()->getNameAsString();
  return name == "status" || name == "message" || name == "code";
}

/// What happens to a variable in the function that declares it.
class OptionsUses {
 public:
  OptionsUses(const clang::VarDecl& variable, const clang::Stmt& body) : variable_(variable) {
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&body);
    if (block != nullptr && llvm::isa<clang::ParmVarDecl>(variable)) {
      for (const clang::Stmt* each : block->body()) visit(*each, true);
    } else {
      visit(body, false);
    }
  }

  /// Whether nothing is known of it.
  bool may_be_changed() const { return is_changed_; }
  /// Sets the members that are assigned after the declaration.
  void assign_to(RaiseMembers& options) const {
    for (const auto& [name, value] : assigned_) {
      (name == "status" ? options.status : name == "code" ? options.code : options.message) = value;
    }
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
    // `options.message += "."` changes this member only.
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
        member != nullptr && names(*member->getBase(), variable_)) {
      forget(*member);
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

  /// The value of the member is not known anywhere.
  void forget(const clang::MemberExpr& member) {
    if (!is_documented(member)) return;
    assigned_.insert_or_assign(member.getMemberDecl()->getNameAsString(),
                               RaiseMember{.value = nullptr, .is_unknown = true});
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
    const bool is_known =
        is_on_each_path && !is_used_ && is_documented(*member) &&
        assigned_.emplace(member->getMemberDecl()->getNameAsString(), RaiseMember{right}).second;
    if (!is_known) forget(*member);
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
      if (!is_const) return false;
      if (member_of_variable(read) != nullptr) return true;
      if (!names(read, variable_)) return false;
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
  std::map<std::string, RaiseMember> assigned_;
  bool is_used_ = false;
  bool is_changed_ = false;
};

/// How often options are followed to what they are made of. Beyond that, nothing is known of them.
constexpr int kMaxReads = 1000;

class OptionsReader {
 public:
  explicit OptionsReader(const FileContext& context) : context_(context) {}

  std::vector<RaiseMembers> read(const clang::Expr& expression) {
    auto found = follow(expression);
    return reads_ > kMaxReads ? std::vector<RaiseMembers>() : found;
  }

 private:
  std::vector<RaiseMembers> follow(const clang::Expr& expression) {
    if (++reads_ > kMaxReads) return {};
    return values(strip_wrappers(*expression.IgnoreUnlessSpelledInSource()));
  }

  std::vector<RaiseMembers> values(const clang::Expr& e) {
    if (const auto* unresolved = llvm::dyn_cast<clang::CXXUnresolvedConstructExpr>(&e)) {
      const bool is_named = qualified_type_name(unresolved->getTypeAsWritten()) == kRaiseOptions;
      return is_named && unresolved->getNumArgs() == 1 ? follow(*unresolved->getArg(0))
                                                       : std::vector<RaiseMembers>();
    }
    if (const auto* named = llvm::dyn_cast<clang::ExplicitCastExpr>(&e)) {
      return follow(*named->getSubExpr());
    }
    if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
      if (!is_raise_options(construct->getType())) return {};
      if (construct->getNumArgs() == 0) return {RaiseMembers()};
      return construct->getNumArgs() == 1 ? follow(*construct->getArg(0))
                                          : std::vector<RaiseMembers>();
    }
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&e)) return in_braces(*list);
    // Of braces, each member is checked by itself.
    if (dependence_of(context_, e).condition != nullptr) return {};
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e)) {
      auto found = follow(*choice->getTrueExpr());
      std::ranges::move(follow(*choice->getFalseExpr()), std::back_inserter(found));
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
      return {{.status = {given_member(list->getInit(0))},
               .message = {given_member(list->getInit(1))},
               .code = {given_member(list->getInit(2))}}};
    }
    if (!list->getType()->isVoidType()) return {};
    // A value has a type that is not known.
    return {{.status = {written_member(*list, "status", 0)},
             .message = {written_member(*list, "message", 1)},
             .code = {written_member(*list, "code", 2)}}};
  }

  std::vector<RaiseMembers> of_variable(const clang::VarDecl& variable) {
    const clang::Expr* initialiser = variable.getAnyInitializer();
    if (initialiser == nullptr || llvm::isa<clang::ParmVarDecl>(variable)) return {};
    if (!is_raise_options(variable.getType()) && !variable.getType()->isDependentType()) return {};
    auto found = follow(*initialiser);
    if (variable.getType().getNonReferenceType().isConstQualified()) return found;
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
    const clang::Stmt* body = function == nullptr ? nullptr : function->getBody();
    if (body == nullptr || variable.getType()->isReferenceType()) return {};
    const OptionsUses uses(variable, *body);
    if (uses.may_be_changed()) return {};
    for (RaiseMembers& each : found) uses.assign_to(each);
    return found;
  }

  std::vector<RaiseMembers> of_call(const clang::CallExpr& call) {
    if (called_name(*call.getCallee()) == "std::move" && call.getNumArgs() == 1) {
      return follow(*call.getArg(0));
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
    // A function that calls itself returns what is known so far, and perhaps changes it.
    if (!followed_.insert(defined).second) {
      is_recursive_ = true;
      return returned_[defined];
    }
    const bool was_recursive = std::exchange(is_recursive_, false);
    std::vector<RaiseMembers>& known = returned_[defined];
    known.clear();
    while (true) {
      std::vector<RaiseMembers> found;
      add_returned(*body, found);
      const std::size_t before = known.size();
      for (const RaiseMembers& each : found) {
        if (std::ranges::find(known, each) == known.end()) known.push_back(each);
      }
      if (!is_recursive_ || known.size() == before || reads_ > kMaxReads) break;
    }
    followed_.erase(defined);
    is_recursive_ = is_recursive_ || was_recursive;
    return known;
  }

  void add_returned(const clang::Stmt& node, std::vector<RaiseMembers>& found) {
    if (llvm::isa<clang::LambdaExpr>(node)) return;
    if (const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(&node)) {
      if (returned->getRetValue() != nullptr) {
        std::ranges::move(follow(*returned->getRetValue()), std::back_inserter(found));
      }
      return;
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) add_returned(*child, found);
    }
  }

  const FileContext& context_;
  int reads_ = 0;
  std::set<const clang::FunctionDecl*> followed_;
  bool is_recursive_ = false;
  std::map<const clang::FunctionDecl*, std::vector<RaiseMembers>> returned_;
};

/// The parameter itself, or `std::move(parameter)`.
bool passes(const clang::Expr& argument, const clang::ParmVarDecl& parameter) {
  const clang::Expr* e = &strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
  // A copy for a parameter by value.
  if (const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(e);
      copy != nullptr && copy->getNumArgs() == 1 && is_raise_options(copy->getType())) {
    e = &strip_wrappers(*copy->getArg(0)->IgnoreUnlessSpelledInSource());
  }
  const auto* moved = llvm::dyn_cast<clang::CallExpr>(e);
  if (moved != nullptr && moved->getNumArgs() == 1 &&
      called_name(*moved->getCallee()) == "std::move") {
    e = &strip_wrappers(*moved->getArg(0));
  }
  return names(*e, parameter);
}

/// Finds out how functions raise their parameters.
class RaisedParameters {
 public:
  explicit RaisedParameters(const FileContext& context) : context_(context) {}

  /// What the function raises if the parameter has these options.
  std::vector<RaiseMembers> raised(const clang::FunctionDecl& function, unsigned index,
                                   const std::vector<RaiseMembers>& given) {
    const clang::FunctionDecl* defined = nullptr;
    const clang::Stmt* body = instantiated(context_, function).getBody(defined);
    if (body == nullptr || index >= defined->getNumParams() ||
        !is_read(context_, *defined, *body)) {
      return {};
    }
    const clang::ParmVarDecl& parameter = *defined->getParamDecl(index);
    if (!is_raise_options(parameter.getType()) || !followed_.insert(defined).second) return {};
    std::vector<RaiseMembers> found;
    std::vector<RaiseMembers> changed = given;
    if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(defined)) {
      // In the order in which they run: each may change what the next ones get.
      for (const clang::CXXCtorInitializer* each : constructor->inits()) {
        if (each->getInit() == nullptr) continue;
        add(*each->getInit(), parameter, changed, found);
        change(parameter, *each->getInit(), changed);
      }
    }
    change(parameter, *body, changed);
    add(*body, parameter, changed, found);
    followed_.erase(defined);
    return found;
  }

 private:
  /// What the statement does to the parameter. Nothing is known of options that it may change.
  static void change(const clang::ParmVarDecl& parameter, const clang::Stmt& statement,
                     std::vector<RaiseMembers>& options) {
    if (parameter.getType().getNonReferenceType().isConstQualified()) return;
    const OptionsUses uses(parameter, statement);
    if (uses.may_be_changed()) options.clear();
    for (RaiseMembers& each : options) uses.assign_to(each);
  }

  /// Calls in the statement that raise the parameter, or give it to a function that does.
  void add(const clang::Stmt& node, const clang::ParmVarDecl& parameter,
           const std::vector<RaiseMembers>& given, std::vector<RaiseMembers>& found) {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      const Arguments arguments = arguments_of(*call);
      if (is_raise(called_name(*call->getCallee()))) {
        if (!arguments.empty() && passes(*arguments[0], parameter)) append(given, found);
      } else if (const clang::FunctionDecl* callee = called_function(*call);
                 callee != nullptr && !may_be_overridden(*callee)) {
        add_passed(*callee, arguments, parameter, given, found);
      }
    } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
      const clang::CXXConstructorDecl& constructor = written_constructor(*construct);
      const Arguments arguments(construct->getArgs(), construct->getNumArgs());
      if (is_http_error(constructor)) {
        if (arguments.size() == 1 && passes(*arguments[0], parameter)) append(given, found);
      } else {
        add_passed(constructor, arguments, parameter, given, found);
      }
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) add(*child, parameter, given, found);
    }
  }

  void add_passed(const clang::FunctionDecl& callee, Arguments arguments,
                  const clang::ParmVarDecl& parameter, const std::vector<RaiseMembers>& given,
                  std::vector<RaiseMembers>& found) {
    // The arguments are evaluated in any order.
    std::vector<RaiseMembers> changed = given;
    for (const clang::Expr* each : arguments) {
      if (!passes(*each, parameter)) change(parameter, *each, changed);
    }
    for (unsigned i = 0; i < arguments.size() && i < callee.getNumParams(); ++i) {
      if (is_raise_options(callee.getParamDecl(i)->getType()) && passes(*arguments[i], parameter)) {
        append(raised(callee, i, changed), found);
      }
    }
  }

  static void append(const std::vector<RaiseMembers>& more, std::vector<RaiseMembers>& found) {
    found.insert(found.end(), more.begin(), more.end());
  }

  const FileContext& context_;
  std::set<const clang::FunctionDecl*> followed_;
};

}  // namespace

bool is_raise_options(clang::QualType type) { return qualified_type_name(type) == kRaiseOptions; }

llvm::ArrayRef<const clang::Expr*> arguments_of(const clang::CallExpr& call) {
  const llvm::ArrayRef<const clang::Expr*> given(call.getArgs(), call.getNumArgs());
  // The first argument of an operator is its object.
  return llvm::isa<clang::CXXOperatorCallExpr>(call) ? given.drop_front() : given;
}

bool is_raise(llvm::StringRef function) {
  return function == "fw::raise" || function == "fw::Raises::raise";
}

const clang::CXXConstructorDecl& written_constructor(const clang::CXXConstructExpr& construct) {
  const clang::CXXConstructorDecl* constructor = construct.getConstructor();
  while (constructor->isInheritingConstructor()) {
    constructor = constructor->getInheritedConstructor().getConstructor();
  }
  return *constructor;
}

bool is_http_error(const clang::CXXConstructorDecl& constructor) {
  return constructor.getParent()->getQualifiedNameAsString() == "fw::HttpError";
}

std::vector<RaiseMembers> raise_options(const FileContext& context, const clang::Expr& expression) {
  return OptionsReader(context).read(expression);
}

std::vector<RaiseMembers> raised_options(const FileContext& context,
                                         const clang::FunctionDecl& function, unsigned index,
                                         const clang::Expr& argument) {
  const std::vector<RaiseMembers> given = raise_options(context, argument);
  if (given.empty()) return {};
  return RaisedParameters(context).raised(function, index, given);
}

}  // namespace fairway::frontend
