#include "frontend/types/struct_checks.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <optional>
#include <string>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/tree/type_names.hpp"
#include "model/type_rules.hpp"

namespace fairway::frontend {
namespace {

/// Removes the `const` before the type of a member.
std::optional<model::FixIt> without_const(const FileContext& context,
                                          const clang::FieldDecl& field) {
  const clang::SourceManager& sources = context.at.sources();
  const clang::SourceLocation begin = field.getOuterLocStart();
  if (!begin.isFileID()) return std::nullopt;
  const clang::CharSourceRange word = clang::CharSourceRange::getTokenRange(begin);
  if (clang::Lexer::getSourceText(word, sources, context.at.language()) != "const") {
    return std::nullopt;
  }
  const auto next = clang::Lexer::findNextToken(begin, sources, context.at.language());
  if (!next) return std::nullopt;
  const auto range =
      context.at.characters(clang::CharSourceRange::getCharRange(begin, next->getLocation()));
  return range ? std::optional(model::FixIt{*range, ""}) : std::nullopt;
}

bool fail_by_condition(const FileContext& context, TypeFailures& failures,
                       const clang::FieldDecl& field, const Dependence& found) {
  failures.fail(model::rules::unsupported_type.id,
                fmt::format("the member '{}' depends on '{}', which differs between the route "
                            "compiler and the compiler of the program",
                            field.getNameAsString(), found.condition->macro),
                found.condition->help, field.getLocation());
  failures.last().notes.insert(failures.last().notes.begin(), note_of(context, found));
  return false;
}

bool has_default_constructor(TypeFailures& failures, const clang::CXXRecordDecl& record) {
  if (record.isAggregate()) return true;
  const auto fail_with = [&](const char* problem) {
    return failures
        .fail(model::rules::unsupported_type.id,
              fmt::format("'{}' has {}, with which a request is read", tag_name(record), problem),
              fmt::format("declare one: '{}() = default;'", tag_name(record)), record.getLocation())
        .has_value();
  };
  if (!record.hasDefaultConstructor()) return fail_with("no default constructor");
  for (const clang::CXXConstructorDecl* each : record.ctors()) {
    if (!each->isDefaultConstructor()) continue;
    if (each->isDeleted() || each->getAccess() != clang::AS_public) {
      return fail_with("no default constructor");
    }
    if (each->isExplicit()) return fail_with("no default constructor that is not explicit");
  }
  return true;
}

bool has_variable_members(const FileContext& context, TypeFailures& failures,
                          const clang::CXXRecordDecl& record, const NamesInJson& names) {
  for (const clang::CXXBaseSpecifier& base : record.bases()) {
    const auto* parent = base.getType()->getAsCXXRecordDecl();
    if (parent == nullptr || !parent->hasDefinition()) continue;
    const clang::CXXRecordDecl& defined = *parent->getDefinition();
    if (!has_variable_members(context, failures, defined, names_of_base(context, defined, names)))
      return false;
  }
  for (const clang::FieldDecl* field : record.fields()) {
    if (!names.of(*field) || !field->getType().isConstQualified()) continue;
    failures.fail(
        model::rules::unsupported_type.id,
        fmt::format("the member '{}' of '{}' is const, so that a request cannot be read into it",
                    field->getNameAsString(), tag_name(record)),
        "remove the 'const'", field->getLocation());
    if (const auto fix = without_const(context, *field)) failures.last().fixes.push_back(*fix);
    return false;
  }
  return true;
}

}  // namespace

bool check_definition(const FileContext& context, TypeFailures& failures, clang::QualType type,
                      const clang::TagDecl& definition) {
  if (definition.isInAnonymousNamespace() && !context.at.in_main_file(definition.getLocation())) {
    return failures.unsupported(type, "move it out of the anonymous namespace of the header")
        .has_value();
  }
  if (definition.getParentFunctionOrMethod() != nullptr) {
    return failures.unsupported(type, "declare it at the level of a namespace").has_value();
  }
  const CompilerCondition* inside = condition_in(context, definition.getSourceRange());
  const bool is_judged = inside != nullptr && !inside->is_compared;
  const CompilerDifference* condition = is_judged ? inside : nullptr;
  if (condition == nullptr) condition = condition_around(context, definition.getLocation());
  if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(&definition)) {
    for (const clang::CXXBaseSpecifier& base : record->bases()) {
      if (condition == nullptr) condition = dependence_of(context, base).condition;
    }
  }
  if (condition != nullptr && !context.is_gcc) {
    return failures
        .fail(model::rules::unsupported_type.id,
              fmt::format("the members of '{}' depend on '{}', which differs between the route "
                          "compiler and the compiler of the program",
                          shown(context, type), condition->macro),
              condition->help, condition->begin)
        .has_value();
  }
  if (tag_name(definition).empty()) {
    return failures
        .fail(model::rules::unsupported_type.id,
              failures.path().empty() ? std::string("a type without a name has no form in JSON")
                                      : fmt::format("the type of the member '{}' has no name",
                                                    failures.path().back()->getNameAsString()),
              fmt::format("declare it with a name: '{} Name {{ … }};'",
                          definition.getKindName().str()),
              definition.getLocation())
        .has_value();
  }
  return true;
}

bool check_struct(const FileContext& context, TypeFailures& failures,
                  const clang::CXXRecordDecl& record, const NamesInJson& names) {
  const clang::QualType whole = context.ast.getRecordType(&record);
  if (record.isUnion()) return failures.unsupported(whole, "write 'std::variant'").has_value();
  if (names.is_unknown) {
    return failures.unsupported(whole, "its 'FW_JSON' has an error, or is not the macro of fairway")
        .has_value();
  }
  if (record.isPolymorphic() || record.getNumVBases() > 0) {
    return failures.unsupported(whole, "it has virtual functions or bases; write a plain struct")
        .has_value();
  }
  return true;
}

bool check_member(const FileContext& context, TypeFailures& failures,
                  const clang::CXXRecordDecl& record, const clang::FieldDecl& field,
                  const NamesInJson& names) {
  const clang::QualType whole = context.ast.getRecordType(&record);
  const auto unreadable = names.unreadable.find(field.getNameAsString());
  if (unreadable != names.unreadable.end()) {
    return failures
        .fail(model::rules::unsupported_type.id,
              fmt::format("the name of the member '{}' in 'FW_JSON' is not known",
                          field.getNameAsString()),
              "write a string, or a constant whose value is visible here", unreadable->second)
        .has_value();
  }
  // FieldDecl::isUnnamedBitField has another name before Clang 19.
  const bool is_unnamed_bit_field = field.isBitField() && field.getDeclName().isEmpty();
  if (is_unnamed_bit_field || field.isAnonymousStructOrUnion()) {
    return failures
        .fail(model::rules::unsupported_type.id,
              fmt::format("'{}' has a member without a name", shown(context, whole)),
              "give the member a name", field.getLocation())
        .has_value();
  }
  if (field.isBitField()) {
    return failures
        .fail(model::rules::unsupported_type.id,
              fmt::format("the member '{}' of '{}' is a bit-field", field.getNameAsString(),
                          shown(context, whole)),
              "remove its width", field.getLocation())
        .has_value();
  }
  if (field.getAccess() != clang::AS_public) {
    return failures
        .fail(model::rules::unsupported_type.id,
              fmt::format("the member '{}' of '{}' is not public", field.getNameAsString(),
                          shown(context, whole)),
              names.listed ? "make it public, or remove it from 'FW_JSON'"
                           : "make it public, or list the members that JSON has with "
                             "'FW_JSON'",
              field.getLocation())
        .has_value();
  }
  const Dependence found = context.is_gcc ? Dependence() : dependence_of(context, field);
  if (found.condition != nullptr) {
    return fail_by_condition(context, failures, field, found);
  }
  if (field.getType().isVolatileQualified()) {
    return failures
        .fail(model::rules::unsupported_type.id,
              fmt::format("the member '{}' is volatile", field.getNameAsString()),
              "remove the 'volatile'", field.getLocation())
        .has_value();
  }
  return true;
}

bool check_input(const FileContext& context, TypeFailures& failures,
                 const clang::CXXRecordDecl& record) {
  return has_variable_members(context, failures, record, names_in_json(context, record)) &&
         has_default_constructor(failures, record);
}

}  // namespace fairway::frontend
