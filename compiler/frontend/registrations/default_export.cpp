#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Module.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <optional>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/registrations/factory.hpp"
#include "frontend/tree/type_names.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_value.hpp"

namespace fairway::frontend {
namespace {

constexpr llvm::StringLiteral kExportName = "fairway_default_export";

/// Skips declarations of a precompiled header, because it contains no export, and deserializing
/// them would take longer than the rest of the parse.
const clang::VarDecl* find_export(const clang::DeclContext& scope) {
  for (const clang::Decl* declaration : scope.noload_decls()) {
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

/// An export inside a namespace, which would not link.
const clang::VarDecl* find_hidden_export(const clang::DeclContext& scope) {
  for (const clang::Decl* declaration : scope.noload_decls()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declaration);
    if (space == nullptr) continue;
    if (const auto* found = find_export(*space)) return found;
    if (const auto* found = find_hidden_export(*space)) return found;
  }
  return nullptr;
}

/// A definition with another name that is not exported.
const clang::VarDecl* find_definition(const clang::DeclContext& scope) {
  for (const clang::Decl* declaration : scope.noload_decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (variable != nullptr && qualified_type_name(variable->getType()) == "fw::RouteDefinition") {
      return variable;
    }
  }
  return nullptr;
}

class ExportReader {
 public:
  explicit ExportReader(FileContext& context) : context_(context) {}

  Factory read(const clang::VarDecl& exported) {
    context_.file.export_range = context_.at.token(exported.getLocation());
    check_conditions(context_, exported);
    return definition(*exported.getInit(), 0);
  }

 private:
  /// The exported value: a call of define_…, a re-export, or a variable with one of these.
  Factory definition(const clang::Expr& expression, int depth) {
    const clang::Expr* e = without_braces(expression);
    if (qualified_type_name(e->getType()) == "fw::Reexport") {
      reexport(*e);
      return {};
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
      const clang::FunctionDecl* callee = call->getDirectCallee();
      const std::string name = callee == nullptr ? "" : callee->getQualifiedNameAsString();
      if (name == "fw::define_middleware") {
        context_.file.export_kind = model::ExportKind::middleware;
        return {};
      }
      if (name == "fw::define_plugin") {
        context_.file.export_kind = model::ExportKind::plugin;
        return {};
      }
      if (name == "fw::define_routes" && call->getNumArgs() == 1) {
        context_.file.export_kind = model::ExportKind::routes;
        if (is_replaced(*callee)) return replaced(*call, *callee);
        return factory(*call->getArg(0), 0);
      }
    }
    const auto* variable = named_variable(*e);
    if (variable != nullptr && is_constant(*variable) && depth < kMaxNames) {
      return definition(*variable->getAnyInitializer(), depth + 1);
    }
    if (e->containsErrors()) return {};
    const bool is_mutable = variable != nullptr && !variable->getType().isConstQualified();
    auto& diagnostic = context_.report(
        model::rules::not_a_route_definition,
        is_mutable ? fmt::format("the default export cannot be resolved: '{}' is not 'const'",
                                 variable->getNameAsString())
                   : "the default export is not the result of 'fw::define_routes'",
        context_.at.of(*e));
    diagnostic.help = "write 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { … });'";
    if (is_mutable) note_declaration(diagnostic, *variable, "defined");
    return {};
  }

  /// Whether a function of the framework's name is not the framework's: an overload, or an explicit
  /// specialisation of its template.
  bool is_replaced(const clang::FunctionDecl& callee) const {
    const auto& sources = context_.at.sources();
    const auto* result = record_of(callee.getReturnType());
    return callee.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization ||
           result == nullptr ||
           sources.getFilename(callee.getLocation()) != sources.getFilename(result->getLocation());
  }

  Factory replaced(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
    auto& diagnostic = context_.report(
        model::rules::not_a_route_definition,
        "this 'fw::define_routes' is not the framework's, and may register other routes",
        context_.at.of(*call.getCallee()));
    diagnostic.help = "remove the specialisation or overload of 'fw::define_routes'";
    note_declaration(diagnostic, callee, "declared");
    return {};
  }

  void reexport(const clang::Expr& e) {
    const auto value = resolve_static(context_, e, Purpose::reexport, "", "");
    const model::Value* path =
        value && value->members.size() == 1 ? &value->members.front().value : nullptr;
    if (path == nullptr || path->kind != model::Value::Kind::string) return;
    context_.file.export_kind = model::ExportKind::reexport;
    context_.file.reexport_target = path->text;
    const auto* braces = llvm::dyn_cast<clang::InitListExpr>(&e);
    const bool is_written_here = braces != nullptr && braces->getNumInits() == 1;
    context_.file.export_range =
        is_written_here ? context_.at.of(*braces->getInit(0)) : path->range;
  }

  /// False for classes of the user, because their use of the initialiser is not known.
  static bool holds_its_initialiser(clang::QualType type) {
    const auto* record = record_of(type);
    if (record == nullptr || record->isLambda()) return true;
    const std::string name = record->getQualifiedNameAsString();
    return name.starts_with("std::") || name.starts_with("fw::");
  }

  /// The initialiser of a declaration may be in braces.
  static const clang::Expr* without_braces(const clang::Expr& expression) {
    const clang::Expr* e = expression.IgnoreUnlessSpelledInSource();
    while (true) {
      const clang::Expr* inner = nullptr;
      if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) {
        if (list->getNumInits() == 1 && qualified_type_name(list->getType()) != "fw::Reexport")
          inner = list->getInit(0);
      } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
        if (construct->getNumArgs() == 1 && holds_its_initialiser(construct->getType())) {
          inner = construct->getArg(0);
        }
      }
      if (inner == nullptr) return e;
      e = inner->IgnoreUnlessSpelledInSource();
    }
  }

  static const clang::VarDecl* named_variable(const clang::Expr& e) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e);
    return reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  }

  static bool is_constant(const clang::VarDecl& variable) {
    return variable.getAnyInitializer() != nullptr &&
           (variable.getType().isConstQualified() || variable.isConstexpr());
  }

  void note_declaration(model::Diagnostic& diagnostic, const clang::NamedDecl& declaration,
                        const char* how) {
    diagnostic.notes.push_back({fmt::format("'{}' is {} here", declaration.getNameAsString(), how),
                                context_.at.token(declaration.getLocation())});
  }

  Factory factory(const clang::Expr& expression, int depth) {
    const clang::Expr* e = without_braces(expression);
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e);
        unary != nullptr && unary->getOpcode() == clang::UO_AddrOf) {
      e = unary->getSubExpr()->IgnoreUnlessSpelledInSource();
    }
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e)) {
      return checked(*lambda->getCallOperator(), *e);
    }
    const clang::NamedDecl* declared = nullptr;
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
      declared = reference->getDecl();
      if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declared)) {
        const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
        if (method != nullptr && method->isInstance()) return without_object(*e, *method);
        const clang::FunctionDecl* defined = nullptr;
        if (function->hasBody(defined) && context_.at.in_main_file(defined->getLocation())) {
          return checked(*defined, *e);
        }
      }
    }
    const auto* variable = named_variable(*e);
    if (variable != nullptr && depth < kMaxNames && is_constant(*variable) &&
        holds_its_initialiser(variable->getType()) &&
        context_.at.in_main_file(variable->getLocation())) {
      return factory(*variable->getAnyInitializer(), depth + 1);
    }
    if (e->containsErrors()) return {};
    not_resolvable(*e, why_not_factory(declared));
    if (declared != nullptr && declared->getLocation().isValid()) {
      note_declaration(context_.file.diagnostics.back(), *declared, "declared");
    }
    return {};
  }

  /// `declared` may be null.
  static std::string why_not_factory(const clang::NamedDecl* declared) {
    const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(declared);
    if (variable != nullptr && !variable->getType().isConstQualified()) {
      return fmt::format("the route factory '{}' is not 'const'", variable->getNameAsString());
    }
    const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declared);
    if (function != nullptr && function->getTemplateInstantiationPattern() != nullptr) {
      return fmt::format("the route factory '{}' is made from a template",
                         function->getNameAsString());
    }
    return "the route factory is not a lambda or function defined in this file";
  }

  void not_resolvable(const clang::Expr& e, std::string message) {
    auto& diagnostic = context_.report(model::rules::factory_not_resolvable, std::move(message),
                                       context_.at.of(e));
    diagnostic.help =
        "pass a lambda that takes 'fw::Router&', or the name of a lambda or function of this file";
  }

  Factory without_object(const clang::Expr& e, const clang::CXXMethodDecl& method) {
    const std::string name = method.getNameAsString();
    not_resolvable(e, fmt::format("the route factory '{}' is a member function, which needs an "
                                  "object",
                                  name));
    model::Diagnostic& diagnostic = context_.file.diagnostics.back();
    diagnostic.help =
        fmt::format("make '{}' static, or pass a lambda that takes 'fw::Router&'", name);
    note_declaration(diagnostic, method, "declared");
    return {};
  }

  /// Routes that are registered on a copy of the router would be lost.
  Factory not_by_reference(const clang::ParmVarDecl& router) {
    auto& diagnostic =
        context_.report(model::rules::factory_not_resolvable,
                        fmt::format("the route factory takes '{}' instead of 'fw::Router&'",
                                    router.getType().getAsString(plain_policy(context_.ast))),
                        context_.at.of(router.getSourceRange()));
    diagnostic.help = fmt::format("write 'fw::Router& {}'", router.getNameAsString());
    return {};
  }

  Factory checked(const clang::FunctionDecl& function, const clang::Expr& e) {
    if (function.getNumParams() != 1 || function.isTemplated() ||
        qualified_type_name(function.getParamDecl(0)->getType()) != "fw::Router") {
      not_resolvable(e, "the route factory does not take exactly one 'fw::Router&'");
      return {};
    }
    const clang::ParmVarDecl& router = *function.getParamDecl(0);
    const bool is_reference = router.getType()->isLValueReferenceType() &&
                              !router.getType().getNonReferenceType().isConstQualified();
    if (!is_reference) return not_by_reference(router);
    if (llvm::isa_and_nonnull<clang::CoroutineBodyStmt>(function.getBody())) {
      return asynchronous(function, "the route factory is a coroutine");
    }
    if (!function.getReturnType()->isVoidType()) {
      return asynchronous(
          function, fmt::format("the route factory returns '{}'",
                                function.getReturnType().getAsString(plain_policy(context_.ast))));
    }
    return {&function};
  }

  Factory asynchronous(const clang::FunctionDecl& function, std::string message) {
    auto& diagnostic = context_.report(model::rules::factory_not_synchronous, std::move(message),
                                       context_.at.token(function.getLocation()));
    diagnostic.help = "a factory must register its routes and return nothing";
    return {};
  }

  FileContext& context_;
};

/// The location after the semicolon of a declaration in the main file.
std::optional<model::Range> after_declaration(const FileContext& context,
                                              const clang::VarDecl& variable) {
  const clang::SourceLocation end = clang::Lexer::findLocationAfterToken(
      variable.getEndLoc(), clang::tok::semi, context.at.sources(), context.at.language(), false);
  return end.isInvalid() ? std::nullopt
                         : context.at.characters(clang::CharSourceRange::getCharRange(end, end));
}

void report_module(FileContext& context, const clang::Module& module,
                   const clang::VarDecl& exported) {
  const clang::Module& unit_module = *module.getTopLevelModule();
  const bool is_located = context.at.in_main_file(unit_module.DefinitionLoc);
  auto& diagnostic = context.report(
      model::rules::no_default_export,
      fmt::format("this file is a unit of the module '{}'", unit_module.Name),
      context.at.token(is_located ? unit_module.DefinitionLoc : exported.getLocation()));
  diagnostic.help =
      "remove the module declaration: the route table refers to the default export from outside of "
      "the module";
}

}  // namespace

Factory find_factory(FileContext& context) {
  const clang::TranslationUnitDecl& scope = *context.ast.getTranslationUnitDecl();
  if (const auto* exported = find_export(scope)) {
    if (const clang::Module* module = exported->getOwningModule()) {
      report_module(context, *module, *exported);
      return {};
    }
    return ExportReader(context).read(*exported);
  }
  if (const auto* hidden = find_hidden_export(scope)) {
    auto& diagnostic =
        context.report(model::rules::no_default_export, "the default export is inside a namespace",
                       context.at.token(hidden->getLocation()));
    diagnostic.help = "move 'FW_EXPORT_DEFAULT' out of the namespace";
    return {};
  }
  if (const auto* definition = find_definition(scope)) {
    const std::string name = definition->getNameAsString();
    auto& diagnostic = context.report(model::rules::no_default_export,
                                      fmt::format("the routes of '{}' are not exported", name),
                                      context.at.token(definition->getLocation()));
    diagnostic.help = fmt::format("write 'FW_EXPORT_DEFAULT = {};' after it", name);
    if (const auto end = after_declaration(context, *definition)) {
      diagnostic.fixes.push_back({*end, fmt::format("\nFW_EXPORT_DEFAULT = {};", name)});
    }
    // Reads the definition nevertheless, to report its other errors in the same run.
    return definition->hasInit() ? ExportReader(context).read(*definition) : Factory{};
  }
  return {};  // what the file must export depends on its folder, which the checks know
}

}  // namespace fairway::frontend
