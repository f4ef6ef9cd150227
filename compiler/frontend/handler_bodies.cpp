#include "frontend/handler_bodies.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include "frontend/registration_call.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

constexpr int kMaxNames = 16;

void note_function(Unit& unit, const clang::FunctionDecl& function) {
  const clang::FunctionDecl* defined = &function;
  if (const auto* pattern = function.getTemplateInstantiationPattern()) defined = pattern;
  if (const clang::Stmt* body = defined->getBody(defined)) {
    unit.handler_bodies.push_back(body->getSourceRange());
  }
}

void note_callable(Unit& unit, const clang::CXXRecordDecl& record) {
  for (const clang::CXXMethodDecl* method : record.methods()) {
    if (method->getOverloadedOperator() == clang::OO_Call) note_function(unit, *method);
  }
}

void note(Unit& unit, const clang::Expr& argument, int depth) {
  const clang::Expr* e = &bare(*argument.IgnoreUnlessSpelledInSource());
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e);
      unary != nullptr && unary->getOpcode() == clang::UO_AddrOf) {
    e = &bare(*unary->getSubExpr());
  }
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e)) {
    unit.handler_bodies.push_back(lambda->getBody()->getSourceRange());
    return;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e);
  if (reference != nullptr) {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())) {
      return note_function(unit, *function);
    }
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const auto* initialiser = variable == nullptr ? nullptr : variable->getAnyInitializer();
    if (initialiser != nullptr && depth < kMaxNames) return note(unit, *initialiser, depth + 1);
  }
  const auto* record = record_of(e->getType());
  if (record != nullptr && unit.at.in_main_file(record->getLocation())) {
    note_callable(unit, *record);
  }
}

}  // namespace

void note_handler(Unit& unit, const clang::Expr& argument) { note(unit, argument, 0); }

void note_handlers_of(Unit& unit, const clang::FunctionDecl& factory) {
  for (const clang::Decl* declaration : factory.decls()) {
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declaration);
    const auto* operation =
        record != nullptr && record->isLambda() ? record->getLambdaCallOperator() : nullptr;
    if (operation == nullptr || operation->getNumParams() != 2) continue;
    if (qualified_type_name(operation->getParamDecl(0)->getType()) == "fw::Request") {
      note_function(unit, *operation);
    }
  }
}

}  // namespace fairway::frontend
