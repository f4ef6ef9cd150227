#include "frontend/handlers/handler_type.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// `R(A…)` of a pointer to a function; null for other types.
const clang::FunctionProtoType* pointed_function(clang::QualType type) {
  return type->isPointerType() ? type->getPointeeType()->getAs<clang::FunctionProtoType>()
                               : nullptr;
}

/// `R(A…)` of `std::function<R(A…)>`; null for other types.
const clang::FunctionProtoType* wrapped_function(clang::QualType type) {
  if (!is_std_type(type, {"function"})) return nullptr;
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_of(type));
  const clang::QualType argument =
      special == nullptr ? clang::QualType() : type_argument(*special, 0);
  return argument.isNull() ? nullptr : argument->getAs<clang::FunctionProtoType>();
}

/// Where the type of the expression is written: with its variable, its member, the function that
/// returns it, or in itself. Null if it is deduced.
clang::TypeLoc written_type(const clang::Expr& expression, int depth = 0) {
  const clang::Expr& e = strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  const clang::TypeSourceInfo* source = nullptr;
  const clang::Expr* initialiser = nullptr;
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&e)) {
    source = cast->getTypeInfoAsWritten();
  } else if (const auto* temporary = llvm::dyn_cast<clang::CXXTemporaryObjectExpr>(&e)) {
    source = temporary->getTypeSourceInfo();
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
    const auto* declared = llvm::dyn_cast<clang::DeclaratorDecl>(member->getMemberDecl());
    if (declared != nullptr) source = declared->getTypeSourceInfo();
  } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr) return {};
    source = variable->getTypeSourceInfo();
    initialiser = variable->getAnyInitializer();
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const auto function =
        callee == nullptr ? clang::FunctionTypeLoc() : callee->getFunctionTypeLoc();
    return function.isNull() ? clang::TypeLoc() : function.getReturnLoc();
  }
  if (source == nullptr) return {};
  clang::TypeLoc written = without_aliases(source->getTypeLoc());
  if (const auto reference = written.getAs<clang::ReferenceTypeLoc>()) {
    written = without_aliases(reference.getPointeeLoc());
  }
  const bool is_deduced =
      !written.isNull() && written.getType()->getContainedDeducedType() != nullptr;
  if (!is_deduced) return written;
  return initialiser != nullptr && depth < kMaxNames ? written_type(*initialiser, depth + 1)
                                                     : clang::TypeLoc();
}

/// Of `std::function<R(A…)>` or of a pointer, the function type in the source.
clang::FunctionTypeLoc written_function(const FileContext& context, const clang::Expr& argument,
                                        const clang::FunctionProtoType& type) {
  clang::TypeLoc written = without_aliases(written_type(argument));
  if (written.isNull()) return {};
  if (const auto pointer = written.getAs<clang::PointerTypeLoc>()) {
    written = pointer.getPointeeLoc();
  } else {
    written = written_argument(written, 0);
  }
  written = without_aliases(written);
  if (const auto parenthesised =
          written.isNull() ? clang::ParenTypeLoc() : written.getAs<clang::ParenTypeLoc>()) {
    written = without_aliases(parenthesised.getInnerLoc());
  }
  if (written.isNull() || !context.ast.hasSameType(written.getType(), clang::QualType(&type, 0))) {
    return {};
  }
  return written.getAs<clang::FunctionTypeLoc>();
}

/// The same parameters, of which handlers may take references, and the same result.
bool has_same_parts(const FileContext& context, const clang::FunctionProtoType& type,
                    const clang::FunctionDecl& function) {
  const auto is_same = [&](clang::QualType one, clang::QualType other) {
    return context.ast.hasSameType(one.getNonReferenceType().getUnqualifiedType(),
                                   other.getNonReferenceType().getUnqualifiedType());
  };
  if (type.getNumParams() != function.getNumParams()) return false;
  for (unsigned i = 0; i < type.getNumParams(); ++i) {
    const clang::QualType parameter = function.getParamDecl(i)->getType();
    // `auto&` of the function is what the type says.
    if (!parameter->isDependentType() && !is_same(type.getParamType(i), parameter)) return false;
  }
  return is_same(type.getReturnType(), function.getReturnType());
}

}  // namespace

clang::QualType type_of_handler(const clang::Expr& argument) {
  const clang::Expr* e = &argument;
  while (true) {
    e = &strip_wrappers(*e);
    const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(e);
    if (construct == nullptr || construct->getNumArgs() == 0 ||
        qualified_type_name(construct->getType()) != "fw::RouteHandler") {
      return e->getType().getNonReferenceType();
    }
    const auto* arguments = construct->getConstructor()->getTemplateSpecializationArgs();
    if (arguments != nullptr && arguments->size() > 0 &&
        arguments->get(0).getKind() == clang::TemplateArgument::Type) {
      return arguments->get(0).getAsType();
    }
    e = construct->getArg(0);
  }
}

model::Range type_range(const FileContext& context, const clang::ParmVarDecl& parameter) {
  const auto* source = parameter.getTypeSourceInfo();
  return source == nullptr ? context.at.token(parameter.getLocation())
                           : context.at.used(source->getTypeLoc().getSourceRange());
}

HandlerType type_of_function(const FileContext& context, const clang::FunctionDecl& handler) {
  HandlerType type;
  for (const clang::ParmVarDecl* parameter : handler.parameters()) {
    const auto* source = parameter->getTypeSourceInfo();
    type.parameters.push_back({parameter->getType(),
                               source == nullptr ? clang::TypeLoc() : source->getTypeLoc(),
                               type_range(context, *parameter)});
  }
  const clang::FunctionTypeLoc function = handler.getFunctionTypeLoc();
  const clang::TypeLoc returned = function.isNull() ? clang::TypeLoc() : function.getReturnLoc();
  const clang::SourceRange range =
      returned.isNull() ? clang::SourceRange() : returned.getSourceRange();
  type.result = {
      handler.getReturnType(), returned,
      range.isValid() ? context.at.used(range) : context.at.token(handler.getBeginLoc())};
  return type;
}

std::optional<HandlerType> type_of_callable(const FileContext& context,
                                            const clang::Expr& argument) {
  const clang::Expr& wrapped = wrapped_handler(context, argument);
  const clang::QualType handler = type_of_handler(wrapped);
  if (handler.isNull() || handler->isDependentType()) return std::nullopt;
  const auto functions = handler_functions(context, argument);
  const clang::FunctionProtoType* function = wrapped_function(handler);
  if (function == nullptr && functions.empty()) function = pointed_function(handler);
  if (function == nullptr) return std::nullopt;
  if (functions.size() == 1 && has_same_parts(context, *function, *functions.front())) {
    return std::nullopt;
  }
  const model::Range use = context.at.of(argument);
  const clang::FunctionTypeLoc written = written_function(context, wrapped, *function);
  const auto part = [&](clang::QualType type, clang::TypeLoc each) {
    const clang::SourceRange range = each.isNull() ? clang::SourceRange() : each.getSourceRange();
    return WrittenType{type, each, range.isValid() ? context.at.used(range) : use};
  };
  HandlerType type;
  for (unsigned i = 0; i < function->getNumParams(); ++i) {
    const clang::ParmVarDecl* declared = written.isNull() ? nullptr : written.getParam(i);
    const auto* source = declared == nullptr ? nullptr : declared->getTypeSourceInfo();
    type.parameters.push_back(part(function->getParamType(i),
                                   source == nullptr ? clang::TypeLoc() : source->getTypeLoc()));
  }
  type.result =
      part(function->getReturnType(), written.isNull() ? clang::TypeLoc() : written.getReturnLoc());
  return type;
}

}  // namespace fairway::frontend
