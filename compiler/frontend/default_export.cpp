#include "frontend/default_export.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

namespace fairway::frontend {
namespace {

constexpr llvm::StringLiteral kExportName = "fairway_default_export";

const clang::VarDecl* find_export(const clang::DeclContext& scope) {
  for (const clang::Decl* declaration : scope.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (variable != nullptr && variable->getName() == kExportName && variable->hasInit()) {
      return variable;
    }
    if (const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(declaration)) {
      if (const auto* found = find_export(*linkage)) return found;
    }
  }
  return nullptr;
}

/// An export that a namespace hides: it would not link.
const clang::VarDecl* find_hidden_export(const clang::DeclContext& scope) {
  for (const clang::Decl* declaration : scope.decls()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declaration);
    if (space == nullptr) continue;
    if (const auto* found = find_export(*space)) return found;
    if (const auto* found = find_hidden_export(*space)) return found;
  }
  return nullptr;
}

const clang::StringLiteral* first_string(const clang::Stmt* node) {
  if (node == nullptr) return nullptr;
  if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(node)) return literal;
  for (const clang::Stmt* child : node->children()) {
    if (const auto* found = first_string(child)) return found;
  }
  return nullptr;
}

std::string type_name(clang::QualType type) {
  const auto* record = type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
  return record == nullptr ? std::string() : record->getQualifiedNameAsString();
}

class ExportReader {
 public:
  explicit ExportReader(Unit& unit) : unit_(unit) {}

  Factory read(const clang::VarDecl& exported) {
    unit_.file.export_range = unit_.at.token(exported.getLocation());
    return definition(*exported.getInit(), 0);
  }

 private:
  static constexpr int kMaxNames = 16;

  /// The value that is exported: a call of define_…, a re-export, or a name for one.
  Factory definition(const clang::Expr& expression, int depth) {
    const clang::Expr* e = expression.IgnoreUnlessSpelledInSource();
    if (type_name(e->getType()) == "fw::Reexport") {
      unit_.file.export_kind = model::ExportKind::reexport;
      if (const auto* text = first_string(&expression)) {
        unit_.file.reexport_target = text->getString().str();
        unit_.file.export_range = unit_.at.of(*text);
      }
      return {};
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
      const clang::FunctionDecl* callee = call->getDirectCallee();
      const std::string name = callee == nullptr ? "" : callee->getQualifiedNameAsString();
      if (name == "fw::define_middleware") {
        unit_.file.export_kind = model::ExportKind::middleware;
        return {};
      }
      if (name == "fw::define_plugin") {
        unit_.file.export_kind = model::ExportKind::plugin;
        return {};
      }
      if (name == "fw::define_routes" && call->getNumArgs() == 1) {
        unit_.file.export_kind = model::ExportKind::routes;
        return factory(*call->getArg(0), 0);
      }
    }
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e); depth < kMaxNames) {
      const auto* variable =
          reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (variable != nullptr && variable->getAnyInitializer() != nullptr &&
          (variable->getType().isConstQualified() || variable->isConstexpr())) {
        return definition(*variable->getAnyInitializer(), depth + 1);
      }
    }
    if (e->containsErrors()) return {};
    auto& diagnostic =
        unit_.report("not-a-route-definition",
                     "the default export is not a value of 'fw::define_routes'", unit_.at.of(*e));
    diagnostic.help = "write 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { … });'";
    return {};
  }

  Factory factory(const clang::Expr& expression, int depth) {
    const clang::Expr* e = expression.IgnoreUnlessSpelledInSource();
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e);
        unary != nullptr && unary->getOpcode() == clang::UO_AddrOf) {
      e = unary->getSubExpr()->IgnoreUnlessSpelledInSource();
    }
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e)) {
      return checked(*lambda->getCallOperator(), lambda->getBody(), *e);
    }
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e); reference != nullptr) {
      if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())) {
        const clang::FunctionDecl* defined = nullptr;
        if (function->hasBody(defined) && unit_.at.in_main_file(defined->getLocation())) {
          return checked(*defined, defined->getBody(), *e);
        }
      }
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (variable != nullptr && depth < kMaxNames && variable->getAnyInitializer() != nullptr &&
          unit_.at.in_main_file(variable->getLocation()) &&
          (variable->getType().isConstQualified() || variable->isConstexpr())) {
        return factory(*variable->getAnyInitializer(), depth + 1);
      }
    }
    if (e->containsErrors()) return {};
    return refuse(*e, "the route factory is not a lambda or function defined in this file");
  }

  Factory refuse(const clang::Expr& e, std::string message) {
    auto& diagnostic = unit_.report("factory-not-resolvable", std::move(message), unit_.at.of(e));
    diagnostic.help = "pass a lambda that takes 'fw::Router&', or the name of one in this file";
    return {};
  }

  Factory checked(const clang::FunctionDecl& function, const clang::Stmt* body,
                  const clang::Expr& e) {
    if (function.getNumParams() != 1 || function.isTemplated() ||
        type_name(function.getParamDecl(0)->getType()) != "fw::Router") {
      return refuse(e, "the route factory does not take exactly one 'fw::Router&'");
    }
    if (llvm::isa_and_nonnull<clang::CoroutineBodyStmt>(body)) {
      return asynchronous(function, "the route factory is a coroutine");
    }
    if (!function.getReturnType()->isVoidType()) {
      return asynchronous(function, fmt::format("the route factory returns '{}'",
                                                function.getReturnType().getAsString()));
    }
    return {body, function.getParamDecl(0)};
  }

  Factory asynchronous(const clang::FunctionDecl& function, std::string message) {
    auto& diagnostic = unit_.report("factory-not-synchronous", std::move(message),
                                    unit_.at.token(function.getLocation()));
    diagnostic.help = "a factory registers its routes and returns nothing; handlers may take long";
    return {};
  }

  Unit& unit_;
};

}  // namespace

Factory find_factory(Unit& unit) {
  const clang::TranslationUnitDecl& scope = *unit.context.getTranslationUnitDecl();
  if (const auto* exported = find_export(scope)) return ExportReader(unit).read(*exported);
  if (const auto* hidden = find_hidden_export(scope)) {
    auto& diagnostic = unit.report("no-default-export", "the default export is inside a namespace",
                                   unit.at.token(hidden->getLocation()));
    diagnostic.help = "move 'FW_EXPORT_DEFAULT' out of the namespace";
    return {};
  }
  model::Range whole;
  whole.file = unit.file.display_path;
  auto& diagnostic = unit.report("no-default-export", "this file has no default export", whole);
  diagnostic.help = "write 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { … });'";
  return {};
}

}  // namespace fairway::frontend
