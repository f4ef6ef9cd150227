// Constants and enumerators.
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>

#include "frontend/tree/type_names.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_context.hpp"

namespace fairway::frontend::statics {
namespace {

/// Whether values of this type can be resolved: strings, numbers, and classes of the framework, its
/// JSON library and the standard library.
bool has_known_meaning(clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isArrayType()) type = clang::QualType(type->getPointeeOrArrayElementType(), 0);
  const auto* record = type->getAsCXXRecordDecl();
  return record == nullptr || is_in_namespace(*record, "std") || is_framework_type(type) ||
         is_json_type(type);
}

/// The notes that lead from a reason to the registration; a long chain of constants is cut.
constexpr std::size_t kMaxNotes = 16;

bool is_const(const clang::VarDecl& variable) {
  return variable.isConstexpr() || variable.getType().getNonReferenceType().isConstQualified();
}

Result initialiser_of(Context& c, const clang::Expr& use, const clang::VarDecl& variable) {
  const std::string name = variable.getNameAsString();
  const clang::VarDecl* definition = &variable;
  const clang::Expr* initialiser = variable.getAnyInitializer(definition);
  if (initialiser == nullptr) {
    // A static member of a class template that is not instantiated.
    const clang::VarDecl* pattern = variable.getTemplateInstantiationPattern();
    initialiser = pattern == nullptr ? nullptr : pattern->getAnyInitializer(definition);
    if (initialiser != nullptr && initialiser->isInstantiationDependent()) initialiser = nullptr;
  }
  if (initialiser == nullptr) {
    return not_static(c, use, fmt::format("'{}' has no initialiser that is visible here", name),
                      &variable);
  }
  if (c.visiting.size() >= kMaxConstants) {
    return not_static(
        c, use,
        fmt::format("'{}' is the end of a chain of more than {} constants", name, kMaxConstants),
        &variable);
  }
  if (!c.visiting.insert(definition).second) {
    return not_static(c, use, fmt::format("'{}' is initialised with itself", name), &variable);
  }
  const std::size_t before = c.reasons.size();
  auto value = resolve(c, *initialiser);
  c.visiting.erase(definition);
  const bool is_foreign = c.at.sources().isInSystemHeader(definition->getLocation());
  const std::string file = c.at.token(definition->getLocation()).file;
  for (std::size_t index = before; !value && index < c.reasons.size(); ++index) {
    model::Diagnostic& reason = c.reasons[index];
    if (is_foreign && reason.range.file == file) {
      // The user cannot change that file.
      reason.range = c.at.of(use);
      if (reason.notes.empty()) reason.message += fmt::format(", in the initialiser of '{}'", name);
    } else if (reason.notes.size() < kMaxNotes) {
      reason.notes.push_back(
          {fmt::format("in the initialiser of '{}', used here", name), c.at.of(use)});
    }
  }
  return value;
}

/// Whether it is `fw::type<T>`.
bool is_type_reference(const clang::ValueDecl& declaration) {
  return llvm::isa<clang::VarTemplateSpecializationDecl>(declaration) &&
         declaration.getQualifiedNameAsString() == "fw::type";
}

/// The call "type" with the name of the type and its schema.
Result type_reference(Context& c, const clang::Expr& use, const clang::ValueDecl& declaration) {
  const auto& reference = llvm::cast<clang::VarTemplateSpecializationDecl>(declaration);
  const clang::TemplateArgument& argument = reference.getTemplateArgs()[0];
  if (c.types == nullptr || argument.getKind() != clang::TemplateArgument::Type) {
    return not_static(c, use, "a type that is not known");
  }
  const auto type = c.types->read(argument.getAsType(), {}, c.at.of(use));
  if (!type) return std::nullopt;
  Value value;
  value.kind = Value::Kind::call;
  value.text = "type";
  for (const std::string& text : {type->name, type->schema}) {
    Value item;
    item.kind = Value::Kind::string;
    item.text = text;
    value.items.push_back(std::move(item));
  }
  c.types->keep(*type);
  return value;
}

}  // namespace

Result constant(Context& c, const clang::Expr& use, const clang::ValueDecl& declaration) {
  if (const auto* one = llvm::dyn_cast<clang::EnumConstantDecl>(&declaration)) {
    return enumerator(c, use, *one);
  }
  const std::string name = declaration.getNameAsString();
  if (is_type_reference(declaration)) return type_reference(c, use, declaration);
  if (declaration.getQualifiedNameAsString() == "fw::raw") {
    Value value;
    value.kind = Value::Kind::call;
    value.text = "raw";
    return value;
  }
  if (llvm::isa<clang::TemplateParamObjectDecl>(declaration)) {
    return not_static(c, use, describe_type(c, declaration.getType()));
  }
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
  if (variable == nullptr)
    return not_static(c, use, fmt::format("'{}' is a member of an object", name));
  const clang::QualType type = variable->getType();
  if (llvm::isa<clang::ParmVarDecl>(variable)) {
    return not_static(c, use, fmt::format("'{}' is a parameter", name), variable);
  }
  if (!is_const(*variable))
    return not_static(c, use, fmt::format("'{}' is not 'const'", name), variable);
  if (!has_known_meaning(type)) {
    return not_static(c, use,
                      fmt::format("'{}' is a '{}'", name,
                                  type.getUnqualifiedType().getAsString(plain_policy(c.ast))),
                      variable);
  }
  const std::string owner = qualified_type_name(type);
  if (!c.at.in_main_file(variable->getLocation())) {
    if (owner == "fw::schema_adapter::FieldBuilder") {
      return misused_builder(c, use, fmt::format("the field builder '{}' of another file", name),
                             variable);
    }
    if (owner == "fw::RouteOptions") {
      not_static(c, use, fmt::format("the options '{}' are not defined in this file", name),
                 variable);
      c.reasons.back().help = "define them in this file";
      return std::nullopt;
    }
  }
  return initialiser_of(c, use, *variable);
}

}  // namespace fairway::frontend::statics
