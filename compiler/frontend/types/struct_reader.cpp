#include "frontend/types/struct_reader.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/types/enumerator_names.hpp"
#include "frontend/types/member_defaults.hpp"
#include "frontend/types/struct_checks.hpp"
#include "frontend/types/variant_schema.hpp"
#include "model/type_rules.hpp"
#include "schema/schema_keywords.hpp"

namespace fairway::frontend {
namespace {

using Json = nlohmann::ordered_json;

/// The errors of one type that are reported.
constexpr std::size_t kMaxFailures = 10;

/// The only value of a type that has one: a literal, or an enumeration of one value.
std::optional<std::string> only_value_of(const FileContext& context, clang::QualType type) {
  const clang::QualType canonical = type.getCanonicalType();
  if (const auto* enumeration = canonical->getAs<clang::EnumType>()) {
    const auto* definition = enumeration->getDecl()->getDefinition();
    if (definition == nullptr || definition->enumerators().empty()) return std::nullopt;
    const auto first = definition->enumerator_begin();
    if (std::next(first) != definition->enumerator_end()) return std::nullopt;
    return enumerator_name(context, **first);
  }
  const auto* literal = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      canonical->getAsCXXRecordDecl());
  const bool is_literal =
      literal != nullptr && is_in_namespace(*literal, "fw") && literal->getName() == "Literal";
  return is_literal ? text_argument(*literal) : std::nullopt;
}

/// Responses have other members than requests must have. The keyword is left out where the
/// difference is that they have those with defaults.
void add_required_in_responses(Json& names, Json& schema) {
  Json implied = Json::array();
  const Json required = schema.value("required", Json::array());
  for (const auto& [name, member] : schema["properties"].items()) {
    const bool is_required = std::ranges::find(required, Json(name)) != required.end();
    if (is_required || member.contains("default")) implied.push_back(name);
  }
  if (names != implied) schema[std::string(fw::schema::kRequiredInResponses)] = std::move(names);
}

/// Whether JSON has a member of the struct or of its bases.
bool has_json_members(const FileContext& context, const clang::CXXRecordDecl& record,
                      const NamesInJson& names) {
  const auto is_member = [&](const clang::FieldDecl* field) {
    return names.of(*field).has_value();
  };
  if (std::any_of(record.field_begin(), record.field_end(), is_member)) return true;
  return std::ranges::any_of(record.bases(), [&](const clang::CXXBaseSpecifier& base) {
    const auto* parent = base.getType()->getAsCXXRecordDecl();
    if (parent == nullptr || !parent->hasDefinition()) return true;
    const clang::CXXRecordDecl& definition = *parent->getDefinition();
    return has_json_members(context, definition, names_of_base(context, definition, names));
  });
}

bool is_scalar(const Json& schema) {
  const auto types = json_types(schema);
  return types.size() == 1 && types.front() != "array" && types.front() != "object";
}

}  // namespace

StructReader::StructReader(const FileContext& context, TypeFailures& failures, MemberTypes& types,
                           const clang::CXXRecordDecl& record)
    : context_(context),
      failures_(failures),
      types_(types),
      record_(record),
      names_(names_in_json(context, record)) {}

StructReader::Json StructReader::outline() const {
  Json outline = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  const auto add = [&](const auto& self, const clang::CXXRecordDecl& part,
                       const NamesInJson& own) -> void {
    for (const clang::CXXBaseSpecifier& base : part.bases()) {
      const auto* parent = base.getType()->getAsCXXRecordDecl();
      if (parent == nullptr || !parent->hasDefinition()) continue;
      self(self, *parent->getDefinition(), names_of_base(context_, *parent->getDefinition(), own));
    }
    for (const clang::FieldDecl* field : part.fields()) {
      const auto name = own.of(*field);
      const auto value = only_value_of(context_, field->getType());
      if (!name || !value || field->hasInClassInitializer()) continue;
      outline["properties"][*name] = {{"type", "string"}, {"enum", Json::array({*value})}};
      outline["required"].push_back(*name);
    }
  };
  add(add, record_, names_);
  return outline;
}

bool StructReader::read(model::CppType& type, Json& schema) {
  const clang::QualType whole = context_.ast.getRecordType(&record_);
  if (!names_.listed && has_own_conversion(record_)) {
    return failures_
        .unsupported(whole,
                     "it has a 'to_json' of its own, which the route compiler cannot "
                     "read: use 'FW_JSON', or no conversion")
        .has_value();
  }
  type_ = &type;
  if (!read_members(record_, names_, false)) return false;
  schema = {{"type", "object"}, {"properties", std::move(properties_)}};
  if (!required_.empty()) schema["required"] = std::move(required_);
  add_required_in_responses(in_responses_, schema);
  type.is_flat = is_flat_;
  return failures_.add_description(record_, schema);
}

bool StructReader::read_members(const clang::CXXRecordDecl& part, const NamesInJson& names,
                                bool has_own_values) {
  if (!check_struct(context_, failures_, part, names)) return false;
  bool worked = true;
  for (const clang::CXXBaseSpecifier& base : part.bases()) {
    const auto* parent = base.getType()->getAsCXXRecordDecl();
    if (parent == nullptr || base.getAccessSpecifier() != clang::AS_public) {
      return failures_.unsupported(base.getType(), "a base must be public").has_value();
    }
    const clang::CXXRecordDecl& definition = *parent->getDefinition();
    const NamesInJson inherited = names_of_base(context_, definition, names);
    if (is_in_namespace(*parent, "std") || is_in_namespace(*parent, "fw")) {
      // Such as std::enable_shared_from_this, beside the members that FW_JSON lists.
      if (!has_json_members(context_, definition, inherited)) continue;
      if (!names.listed) {
        return failures_
            .unsupported(base.getType(),
                         "make it a member, instead of a base, or list the members that JSON has "
                         "with 'FW_JSON'")
            .has_value();
      }
    }
    worked =
        read_members(definition, inherited, has_own_values || sets_members_of_base(part, base)) &&
        worked;
  }
  const bool has_unknown_values =
      has_own_values || constructor_effect(part) == ConstructorEffect::unknown;
  for (const clang::FieldDecl* field : part.fields()) {
    const auto name = names.of(*field);
    if (!name) continue;
    failures_.enter(*field);
    // The other members are read for their errors, too.
    worked = check_member(context_, failures_, part, *field, names) &&
             read_member(part, *field, *name, has_unknown_values) && worked;
    failures_.leave();
    if (failures_.size() >= kMaxFailures || types_.is_endless()) break;
  }
  return worked;
}

bool StructReader::read_member(const clang::CXXRecordDecl& part, const clang::FieldDecl& field,
                               const std::string& json_name, bool has_own_values) {
  const auto* source = field.getTypeSourceInfo();
  clang::QualType type = field.getType();
  clang::TypeLoc written = source == nullptr ? clang::TypeLoc() : source->getTypeLoc();
  const bool is_optional = is_std_type(type, {"optional", "unique_ptr"});
  needs_code_ = needs_code_ || is_std_type(type, {"unique_ptr"});
  if (is_optional) {
    type = type_argument(
        *llvm::cast<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl()), 0);
    written = written_argument(written, 0);
  }
  std::optional<Json> schema = types_.schema_of(type, written);
  if (!schema) return false;
  if (is_optional && schema->contains("default")) {
    return failures_
        .fail(model::rules::unsupported_type.id,
              fmt::format("the member '{}' is optional, and its 'fw::Field' has a default",
                          field.getNameAsString()),
              fmt::format("write 'fw::Field<\"{}\"> {};' for a member that has the default when "
                          "it is absent, or remove the default",
                          field_text(type), field.getNameAsString()),
              field.getLocation())
        .has_value();
  }
  const clang::Expr* initialiser = member_initialiser(part, field);
  const bool has_default = field.hasInClassInitializer() || schema->contains("default");
  model::TypeMember member{
      .name = field.getNameAsString(),
      .json_name = json_name,
      .required = !is_optional && !has_default,
      .is_left_out = is_optional,
      .is_reset = !is_optional && keeps_members(type) &&
                  (has_own_values || (initialiser == nullptr ? field.hasInClassInitializer()
                                                             : !is_new_value(*initialiser))),
      .literal = {},
      .range = context_.at.token(field.getLocation())};
  if (!is_optional) in_responses_.push_back(json_name);
  if (has_own_values || (initialiser == nullptr && field.hasInClassInitializer())) {
    schema->erase("default");
  } else if (has_default && initialiser != nullptr) {
    DefaultCheck check{fmt::format("the default of the member '{}'", field.getNameAsString())};
    const auto value = default_value(context_, *initialiser, type, *schema, check);
    if (!check.errors.empty()) {
      DefaultCheck::Error& error = check.errors.front();
      return failures_
          .fail(model::rules::unsupported_type.id, std::move(error.message), std::move(error.help),
                error.range.isValid() ? error.range : initialiser->getSourceRange())
          .has_value();
    }
    schema->erase("default");
    if (value) (*schema)["default"] = *value;
  }
  const Json& own = types_.resolved(*schema);
  is_flat_ = is_flat_ && is_scalar(own);
  const auto values = own.find("enum");
  if (member.required && values != own.end() && values->size() == 1) {
    member.literal = values->front().get<std::string>();
  }
  if (!failures_.add_description(field, *schema)) return false;
  if (member.required) required_.push_back(json_name);
  const auto same = std::ranges::find(type_->members, json_name, &model::TypeMember::json_name);
  if (same != type_->members.end()) {
    return failures_
        .fail(model::rules::unsupported_type.id,
              fmt::format("two members have the name '{}' in JSON", json_name),
              "rename one of them with 'FW_JSON'", field.getLocation())
        .has_value();
  }
  properties_[json_name] = std::move(*schema);
  type_->members.push_back(std::move(member));
  return true;
}

}  // namespace fairway::frontend
