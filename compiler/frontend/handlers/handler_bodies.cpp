#include "frontend/handlers/handler_bodies.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Sema/Sema.h>

#include <algorithm>

#include "frontend/handlers/caught_errors.hpp"
#include "frontend/handlers/handler_signature.hpp"
#include "frontend/handlers/passed_values.hpp"
#include "frontend/handlers/reassigned_variable.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

using Functions = llvm::SmallVector<const clang::FunctionDecl*, 1>;

void note_function(std::vector<clang::SourceRange>& bodies, const clang::FunctionDecl& function) {
  const clang::FunctionDecl* defined = nullptr;
  if (const clang::Stmt* body = body_of(function, defined)) {
    bodies.push_back(body->getSourceRange());
  }
}

/// Whether it is declared in a system header or by the framework.
bool is_of_library(const clang::Decl& declaration, const clang::SourceManager& sources) {
  return sources.isInSystemHeader(declaration.getLocation()) || is_in_namespace(declaration, "fw");
}

/// Whether the parameter is a part of the request; `fw::Body<T>` of a template is one, too.
bool is_part_of_request(clang::QualType type) {
  const auto* dependent =
      type.getNonReferenceType().getCanonicalType()->getAs<clang::TemplateSpecializationType>();
  const auto* written =
      dependent == nullptr ? nullptr : dependent->getTemplateName().getAsTemplateDecl();
  return written == nullptr ? !kind_of_parameter(type).empty()
                            : is_input_template(written->getQualifiedNameAsString());
}

constexpr int kMaxParts = 2;  ///< members of members, and bases: this is asked for each function

/// Whether it is the response by reference or by pointer, or an object that has it. While a class
/// is parsed, its members are those so far, and a constructor tells which others follow.
bool has_response(clang::QualType type, int depth = 0) {
  const bool is_direct = !type->isReferenceType() && !type->isPointerType();
  if (type->isPointerType()) type = type->getPointeeType();
  const auto* record = record_of(type);
  if (record == nullptr) return false;
  if (is_in_namespace(*record, "fw")) {
    return !is_direct && qualified_type_name(type) == "fw::Response";
  }
  record = depth == kMaxParts ? nullptr : record->getDefinition();
  if (record == nullptr || record->isLambda() || record->isInStdNamespace()) return false;
  const auto takes_response = [&](const clang::CXXConstructorDecl* each) {
    if (each->isCopyOrMoveConstructor()) return false;
    return llvm::any_of(each->parameters(), [&](const clang::ParmVarDecl* parameter) {
      return has_response(parameter->getType(), depth + 1);
    });
  };
  return llvm::any_of(record->fields(),
                      [&](const auto* each) { return has_response(each->getType(), depth + 1); }) ||
         (record->isBeingDefined() && llvm::any_of(record->ctors(), takes_response)) ||
         llvm::any_of(record->bases(), [&](const clang::CXXBaseSpecifier& base) {
           return has_response(base.getType(), depth + 1);
         });
}

/// Of the class, or of its bases if it has none and names none by `using`.
void add_call_operators(Functions& functions, const FileContext& context,
                        const clang::CXXRecordDecl& record) {
  if (!record.hasDefinition()) return;
  const clang::CXXRecordDecl& definition = *record.getDefinition();
  const auto operators =
      definition.lookup(context.ast.DeclarationNames.getCXXOperatorName(clang::OO_Call));
  if (operators.empty()) {
    for (const clang::CXXBaseSpecifier& base : definition.bases()) {
      const auto* parent = record_of(base.getType());
      if (parent != nullptr) add_call_operators(functions, context, *parent);
    }
    return;
  }
  for (const clang::NamedDecl* each : operators) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(each->getUnderlyingDecl());
    if (method == nullptr) continue;
    if (is_of_library(*method, context.at.sources())) continue;
    functions.push_back(&instantiated(context, *method));
  }
}

/// Whether objects of the class call the function that they are made of.
bool is_wrapper(clang::QualType type) {
  return is_std_type(type, {"function"}) || is_route_handler(type);
}

void add_functions(Functions& functions, const FileContext& context, const clang::Expr& argument,
                   int depth);

/// The types of fw::RouteHandler and std::function do not say what they call: what the function
/// returns does.
void add_returned(Functions& functions, const FileContext& context,
                  const clang::FunctionDecl& function, int depth) {
  const auto returned = returned_handlers(context, function);
  if (returned.size() == 1 && depth < kMaxNames) {
    add_functions(functions, context, *returned.front(), depth + 1);
  }
}

/// Of an object that is no handler, but converts to one.
void add_converted(Functions& functions, const FileContext& context,
                   const clang::CXXRecordDecl& record, int depth) {
  if (!record.hasDefinition()) return;
  for (const clang::NamedDecl* each : record.getDefinition()->getVisibleConversionFunctions()) {
    const clang::FunctionDecl* conversion = each->getUnderlyingDecl()->getAsFunction();
    if (conversion != nullptr && is_route_handler(conversion->getReturnType())) {
      return add_returned(functions, context, *conversion, depth);
    }
  }
}

void add_functions(Functions& functions, const FileContext& context, const clang::Expr& argument,
                   int depth) {
  const clang::Expr* e = &strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e);
      unary != nullptr &&
      (unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Plus ||
       (unary->getOpcode() == clang::UO_Deref && unary->getType()->isFunctionType()))) {
    e = &strip_wrappers(*unary->getSubExpr()->IgnoreUnlessSpelledInSource());
  }
  // An overload that a cast selects, or `std::function<…>(function)`.
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e);
      cast != nullptr &&
      (cast->getType()->isFunctionPointerType() || is_wrapper(cast->getType()))) {
    return add_functions(functions, context, *cast->getSubExpr(), depth);
  }
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(e);
      construct != nullptr && construct->getNumArgs() == 1 && is_wrapper(construct->getType())) {
    return add_functions(functions, context, *construct->getArg(0), depth);
  }
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e)) {
    functions.push_back(lambda->getCallOperator());
    return;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e);
  if (reference != nullptr) {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())) {
      functions.push_back(&instantiated(context, *function));
      return;
    }
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const auto* initialiser = variable == nullptr ? nullptr : variable->getAnyInitializer();
    // It may call another function than the one that it is initialised with.
    const bool is_exchangeable =
        variable != nullptr &&
        (variable->getType()->isFunctionPointerType() || is_wrapper(variable->getType()));
    if (is_exchangeable && may_be_reassigned(context, *variable)) return;
    if (initialiser != nullptr && depth < kMaxNames) {
      return add_functions(functions, context, *initialiser, depth + 1);
    }
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e);
      call != nullptr && is_wrapper(call->getType())) {
    const clang::Expr* same = passed_through(*call);
    if (same != nullptr) return add_functions(functions, context, *same, depth);
    const clang::FunctionDecl* function = called_function(*call);
    if (function != nullptr) add_returned(functions, context, *function, depth);
    return;
  }
  const auto* record = record_of(e->getType());
  if (record == nullptr) return;
  add_call_operators(functions, context, *record);
  if (functions.empty()) add_converted(functions, context, *record, depth);
}

void add_returned_values(llvm::SmallVectorImpl<const clang::Expr*>& values,
                         const clang::Stmt& node) {
  if (llvm::isa<clang::LambdaExpr>(node)) return;
  const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(&node);
  if (returned != nullptr && returned->getRetValue() != nullptr) {
    values.push_back(returned->getRetValue());
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) add_returned_values(values, *child);
  }
}

/// Whether the function can be expected to build an error, or to throw one.
bool makes_errors(const clang::FunctionDecl& function) {
  const clang::QualType result = function.getReturnType();
  const auto* record = record_of(result);
  return function.isNoReturn() || may_hold_error(result) || is_error_class(record) ||
         (record != nullptr && record->getName() == "exception_ptr" &&
          is_in_namespace(*record, "std"));
}

}  // namespace

bool is_route_handler(clang::QualType type) {
  return qualified_type_name(type) == "fw::RouteHandler";
}

bool is_read_in_header(const clang::Decl& declaration, const clang::SourceManager& sources) {
  const clang::FunctionDecl* function = declaration.getAsFunction();
  if (function == nullptr || is_of_library(*function, sources)) return false;
  const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function);
  if (constructor != nullptr && is_error_class(constructor->getParent())) return true;
  if (is_wrapper(function->getReturnType()) || makes_errors(*function)) return true;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  // A media type, perhaps.
  const bool is_static = method == nullptr || method->isStatic();
  if (is_static && function->param_empty() && is_text(function->getReturnType())) return true;
  if (method != nullptr && method->isInstance() &&
      has_response(method->getFunctionObjectParameterType())) {
    return true;
  }
  return std::any_of(function->param_begin(), function->param_end(),
                     [](const clang::ParmVarDecl* each) {
                       return is_part_of_request(each->getType()) || has_response(each->getType());
                     });
}

const clang::Stmt* body_of(const clang::FunctionDecl& function,
                           const clang::FunctionDecl*& defined) {
  const clang::Stmt* body = function.getBody(defined);
  return body == nullptr ? pattern_of(function).getBody(defined) : body;
}

bool is_read(const FileContext& context, const clang::FunctionDecl& function,
             const clang::Stmt& body) {
  return context.at.in_main_file(body.getBeginLoc()) ||
         is_read_in_header(pattern_of(function), context.at.sources());
}

const clang::FunctionDecl& instantiated(const FileContext& context,
                                        const clang::FunctionDecl& function) {
  const clang::FunctionDecl* pattern = function.getTemplateInstantiationPattern();
  const clang::Stmt* body = pattern == nullptr ? nullptr : pattern->getBody();
  if (body == nullptr || function.isDefined() || function.isDependentContext() ||
      !function.isImplicitlyInstantiable()) {
    return function;
  }
  const bool is_result_known = !function.getReturnType()->isUndeducedType();
  if (is_result_known && !is_read(context, function, *body)) return function;
  // Only clang::Sema completes the tree.
  context.sema.InstantiateFunctionDefinition(
      function.getLocation(),
      const_cast<clang::FunctionDecl*>(
          &function));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return function;
}

llvm::SmallVector<const clang::Expr*, 1> returned_handlers(const FileContext& context,
                                                           const clang::FunctionDecl& function) {
  llvm::SmallVector<const clang::Expr*, 1> values;
  const clang::Stmt* body = instantiated(context, function).getBody();
  const bool is_known =
      body != nullptr && !may_be_overridden(function) && is_read(context, function, *body);
  if (is_known) add_returned_values(values, *body);
  return values;
}

const clang::Expr& wrapped_handler(const FileContext& context, const clang::Expr& argument) {
  const clang::Expr* handler = &argument;
  for (int depth = 0; depth < kMaxNames; ++depth) {
    const clang::Expr& e = strip_wrappers(*handler->IgnoreUnlessSpelledInSource());
    if (!is_route_handler(e.getType())) break;
    const clang::Expr* inner = nullptr;
    if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&e)) {
      inner = cast->getSubExpr();
    } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
      if (construct->getNumArgs() == 1) inner = construct->getArg(0);
    } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
      const bool is_kept = variable != nullptr && !llvm::isa<clang::ParmVarDecl>(variable) &&
                           !may_be_reassigned(context, *variable);
      if (is_kept) inner = variable->getAnyInitializer();
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) {
      inner = passed_through(*call);
      const clang::FunctionDecl* function = called_function(*call);
      if (inner == nullptr && function != nullptr) {
        const auto returned = returned_handlers(context, *function);
        if (returned.size() == 1) inner = returned.front();
      }
    }
    if (inner == nullptr) break;
    handler = inner;
  }
  return *handler;
}

llvm::SmallVector<const clang::FunctionDecl*, 1> handler_functions(const FileContext& context,
                                                                   const clang::Expr& argument) {
  Functions functions;
  add_functions(functions, context, argument, 0);
  return functions;
}

void note_handler(FileContext& context, const clang::Expr& argument) {
  for (const auto* function : handler_functions(context, argument))
    note_function(context.bodies.handlers, *function);
}

void record_unregistered_handlers(FileContext& context, const clang::FunctionDecl& factory) {
  for (const clang::Decl* declaration : factory.decls()) {
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declaration);
    const auto* operation =
        record != nullptr && record->isLambda() ? record->getLambdaCallOperator() : nullptr;
    if (operation == nullptr || operation->getNumParams() != 2) continue;
    if (qualified_type_name(operation->getParamDecl(0)->getType()) == "fw::Request") {
      note_function(context.bodies.unregistered, pattern_of(*operation));
    }
  }
  std::erase_if(context.bodies.unregistered, [&](clang::SourceRange body) {
    return std::find(context.bodies.handlers.begin(), context.bodies.handlers.end(), body) !=
           context.bodies.handlers.end();
  });
}

}  // namespace fairway::frontend
