#include "frontend/types/type_reader.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Sema/Sema.h>
#include <fmt/format.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_names.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/types/enumerator_names.hpp"
#include "frontend/types/json_conversion.hpp"
#include "frontend/types/struct_checks.hpp"
#include "frontend/types/struct_reader.hpp"
#include "frontend/types/type_members.hpp"
#include "frontend/types/variant_schema.hpp"
#include "model/type_rules.hpp"
#include "schema/node.hpp"

namespace fairway::frontend {
namespace {

using Json = nlohmann::ordered_json;

/// Types of one template that contain each other. A template that contains a new type of itself at
/// each level has no end, and the names of its types may double at each level.
constexpr unsigned kMaxNested = 8;
/// Instead of a type whose only value means that there is none.
constexpr const char* kNullHelp =
    "write 'fw::Field<\"null\">', in a 'std::variant' with the type of the other values";
constexpr const char* kNulloptHelp =
    "write 'nullptr' to send null, or an empty 'std::optional' of the type that is sent otherwise";
/// For `fw::Status` and other results within data, such as a variant in a variant.
constexpr const char* kResultHelp =
    "a status is what a handler returns, or an alternative of the 'std::variant' that it returns: "
    "write all alternatives in this one variant";

Json reference_to(const std::string& component) {
  return {{"$ref", std::string(kDefinitions) + component}};
}

void add_once(std::vector<model::TypeUse>& types, const model::TypeUse& use) {
  const bool is_known = std::ranges::find(types, use.name, &model::TypeUse::name) != types.end();
  if (!is_known) types.push_back(use);
}

bool is_struct(const model::GeneratedType& type) { return type.enumerators.empty(); }

std::vector<model::GeneratedType> model_types(const auto& all) {
  std::vector<model::GeneratedType> types;
  for (const auto& each : all) types.push_back(each.type);
  return types;
}

}  // namespace

std::optional<model::TypeUse> text_in_response(clang::QualType type) {
  const bool is_c_string = (type->isPointerType() || type->isArrayType()) &&
                           clang::QualType(type->getPointeeOrArrayElementType(), 0)->isCharType();
  if (!is_c_string && !is_std_type(type, {"basic_string_view"})) return std::nullopt;
  return model::TypeUse{.name = "::std::string", .schema = R"({"type":"string"})"};
}

std::optional<model::TypeUse> TypeReader::read(clang::QualType type, clang::TypeLoc written,
                                               const model::Range& use) {
  auto result = use_of(type, written);
  if (!result) failures_.report(use);
  return result;
}

std::optional<model::TypeUse> TypeReader::read_result(clang::QualType type, clang::TypeLoc written,
                                                      const model::Range& use) {
  auto result = use_of(type, written);
  const auto* converted = result ? converted_otherwise(context_, type) : nullptr;
  if (converted != nullptr) {
    failures_.clear_path();
    failures_.unsupported(context_.ast.getRecordType(converted), conversion_help(*converted));
    result.reset();
  }
  if (!result) failures_.report(use);
  return result;
}

std::optional<model::TypeUse> TypeReader::read_input(clang::QualType type, clang::TypeLoc written,
                                                     const model::Range& use) {
  is_input_ = true;
  auto result = use_of(type, written);
  is_input_ = false;
  if (result && !can_be_read()) result.reset();
  if (!result) failures_.report(use);
  return result;
}

std::optional<model::TypeUse> TypeReader::read_quietly(clang::QualType type) {
  auto result = use_of(type, {});
  failures_.clear();
  return result;
}

std::optional<model::TypeUse> TypeReader::read_sent(clang::QualType type) {
  type = type.getNonReferenceType();
  if (auto text = text_in_response(type)) return text;
  if (type->isNullPtrType()) {
    return model::TypeUse{.name = "::std::nullptr_t", .schema = R"({"type":"null"})"};
  }
  // Types whose value is written as null if there is none.
  if (!is_std_type(type, {"optional", "unique_ptr", "shared_ptr"})) {
    return converted_otherwise(context_, type) == nullptr ? read_quietly(type) : std::nullopt;
  }
  auto value = read_sent(
      type_argument(*llvm::cast<clang::ClassTemplateSpecializationDecl>(record_of(type)), 0));
  if (!value) return std::nullopt;
  Json own = Json::parse(value->schema);
  Json schema = Json::object();  // any, for what is null or a choice itself
  if (own.contains("$ref") || own.contains("type")) {
    if (const auto definitions = own.find("$defs"); definitions != own.end()) {
      schema["$defs"] = std::move(*definitions);
      own.erase("$defs");
    }
    schema["oneOf"] = Json::array({std::move(own), {{"type", "null"}}});
  }
  value->name = cpp_name(context_, type);
  value->schema = schema.dump();
  return value;
}

void TypeReader::keep_sent(clang::QualType type, const std::optional<model::Range>& use) {
  // fw::Json writes enumerations as numbers, wherever there is no code.
  if (type->isEnumeralType()) return;
  const auto known = read_quietly(type);
  if (known) {
    add_once(context_.file.sent_types, *known);
    return;
  }
  const auto* special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      type.getCanonicalType()->getAsCXXRecordDecl());
  const bool is_container = special != nullptr && is_in_namespace(*special, "std") &&
                            !is_std_type(type, {"pair", "tuple", "variant", "time_point"});
  if (!is_container) {
    if (use) read(type, {}, *use);
    return;
  }
  const bool is_map = special->getName().ends_with("map");
  const clang::QualType item = type_argument(*special, is_map ? 1 : 0);
  if (!item.isNull() && (item->isRecordType() || item->isEnumeralType())) keep_sent(item, use);
}

void TypeReader::keep(const model::TypeUse& use) { add_once(context_.file.named_types, use); }

std::optional<model::TypeUse> TypeReader::use_of(clang::QualType type, clang::TypeLoc written) {
  std::vector<const clang::TagDecl*> uses;
  failures_.clear();
  failures_.clear_path();
  is_endless_ = false;
  needs_code_ = false;
  uses_ = &uses;
  named_.clear();
  generated_ = &named_;
  Schema schema = schema_of(type, written);
  uses_ = nullptr;
  generated_ = nullptr;
  if (!schema) return std::nullopt;
  model::TypeUse result;
  result.name = cpp_name(context_, type);
  std::set<const clang::TagDecl*> seen;
  std::vector<const clang::TagDecl*> order;
  for (const clang::TagDecl* tag : uses) collect(*tag, seen, order);
  read_ = order;
  Json definitions = Json::object();
  for (const clang::TagDecl* tag : order) {
    const Known& known = known_[index_.lookup(tag)];
    result.types.push_back(known.name);
    definitions[known.component] = known.schema;
  }
  if (!definitions.empty()) (*schema)["$defs"] = std::move(definitions);
  result.schema = schema->dump();
  result.generated = model_types(named_);
  const auto is_readable = [](const std::vector<Generated>& types) {
    return std::ranges::none_of(types, is_struct, &Generated::type);
  };
  result.is_readable = is_readable(named_) && std::ranges::all_of(order, [&](const auto* tag) {
                         return is_readable(known_[index_.lookup(tag)].generated);
                       });
  result.has_own_code =
      !order.empty() && !needs_code_ && std::ranges::none_of(order, [&](const clang::TagDecl* tag) {
        return known_[index_.lookup(tag)].needs_code;
      });
  return result;
}

void TypeReader::collect(const clang::TagDecl& tag, std::set<const clang::TagDecl*>& seen,
                         std::vector<const clang::TagDecl*>& order) const {
  if (!seen.insert(&tag).second) return;
  order.push_back(&tag);
  for (const clang::TagDecl* used : known_[index_.lookup(&tag)].uses) collect(*used, seen, order);
}

TypeReader::Schema TypeReader::schema_of(clang::QualType type, clang::TypeLoc written) {
  const clang::QualType canonical = type.getCanonicalType().getUnqualifiedType();
  if (const auto* builtin = canonical->getAs<clang::BuiltinType>()) return arithmetic(*builtin);
  const clang::TagDecl* tag = canonical->getAsTagDecl();
  if (tag != nullptr && context_.at.in_generated_header(tag->getLocation())) {
    return generated(*tag, canonical);
  }
  if (const auto* enumeration = canonical->getAs<clang::EnumType>()) {
    return reference(*enumeration->getDecl(), canonical);
  }
  const clang::CXXRecordDecl* record = canonical->getAsCXXRecordDecl();
  if (record == nullptr) {
    if (canonical->isPointerType() && canonical->getPointeeType()->isAnyCharacterType()) {
      return failures_.unsupported(type, "write 'std::string', which owns its characters");
    }
    if (canonical->isPointerType() || canonical->isReferenceType()) {
      return failures_.unsupported(
          type,
          "write the type itself, 'std::optional' for a value that may be absent, "
          "or 'std::unique_ptr' for one that contains itself");
    }
    if (canonical->isArrayType())
      return failures_.unsupported(type, "write 'std::array' or 'std::vector'");
    return failures_.unsupported(type, "");
  }
  if (is_json_type(canonical)) return Json::object();
  if (is_in_namespace(*record, "fw")) return framework(type, *record, written);
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  if (is_in_namespace(*record, "std")) {
    if (special == nullptr) {
      const llvm::StringRef name = record->getName();
      return failures_.unsupported(type, name == "monostate"   ? kNullHelp
                                         : name == "nullopt_t" ? kNulloptHelp
                                                               : "");
    }
    return standard(type, *special, written);
  }
  return reference(*record, canonical);
}

TypeReader::Schema TypeReader::arithmetic(const clang::BuiltinType& type) {
  const clang::QualType whole(&type, 0);
  if (type.getKind() == clang::BuiltinType::Bool) return Json{{"type", "boolean"}};
  if (type.getKind() == clang::BuiltinType::Float) {
    constexpr double kMax = std::numeric_limits<float>::max();
    return Json{{"type", "number"}, {"minimum", -kMax}, {"maximum", kMax}};
  }
  if (type.isFloatingPoint()) return Json{{"type", "number"}};
  // `signed char` and `unsigned char` are small numbers, `char` is a character.
  const bool is_character = whole->isAnyCharacterType() &&
                            !whole->isSpecificBuiltinType(clang::BuiltinType::SChar) &&
                            !whole->isSpecificBuiltinType(clang::BuiltinType::UChar);
  if (!type.isInteger() || is_character) {
    return failures_.unsupported(whole, is_character
                                            ? "write 'std::string', or 'std::int8_t' for a number"
                                        : whole->isNullPtrType() ? kNullHelp
                                                                 : "");
  }
  const std::uint64_t bits = context_.ast.getTypeSize(whole);
  Json schema = {{"type", "integer"}};
  if (bits > 64) return failures_.unsupported(whole, "write 'std::int64_t'");
  if (type.isUnsignedInteger()) {
    schema["minimum"] = 0;
    schema["maximum"] = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  } else if (bits < 64) {
    const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
    schema["minimum"] = -most - 1;
    schema["maximum"] = most;
  }
  return schema;
}

TypeReader::Schema TypeReader::list(clang::QualType item, clang::TypeLoc written) {
  Schema items = schema_of(item, written_argument(written, 0));
  if (!items) return std::nullopt;
  return Json{{"type", "array"}, {"items", std::move(*items)}};
}

TypeReader::Schema TypeReader::standard(clang::QualType type,
                                        const clang::ClassTemplateSpecializationDecl& record,
                                        clang::TypeLoc written) {
  const llvm::StringRef name = record.getName();
  const clang::QualType first = type_argument(record, 0);
  const auto is_string = [&](clang::QualType each) {
    return is_std_type(each, {"basic_string"}) &&
           context_.ast.hasSameType(
               type_argument(
                   *llvm::cast<clang::ClassTemplateSpecializationDecl>(each->getAsCXXRecordDecl()),
                   0),
               context_.ast.CharTy);
  };
  if (name == "basic_string" && is_string(type)) return Json{{"type", "string"}};
  if (name == "basic_string_view") {
    return failures_.unsupported(type, "write 'std::string', which owns its characters");
  }
  // As members, they are read by `read_member`.
  if (name == "optional") {
    return failures_.unsupported(
        type, !failures_.path().empty() ? "only a member may be absent: write the type itself, or "
                                          "'std::variant<fw::Field<\"null\">, T>' for one that may "
                                          "be null"
              : is_input_ ? "write the type itself, and 'std::optional' for its members"
                          : "write the type itself; a result that may be absent is a "
                            "'std::variant' with 'fw::Status<404>'");
  }
  // fw::Json converts none of these.
  needs_code_ = needs_code_ || name == "unique_ptr" || name == "variant" || name == "time_point";
  if (name == "unique_ptr") {
    if (failures_.path().empty()) return failures_.unsupported(type, "write the type itself");
    return schema_of(first, written_argument(written, 0));
  }
  if (name == "vector" || name == "set" || name == "unordered_set" || name == "array") {
    Schema schema = list(first, written);
    if (!schema) return std::nullopt;
    if (name.ends_with("set")) (*schema)["uniqueItems"] = true;
    if (name == "array") {
      const std::int64_t count = number_argument(record, 1).value_or(0);
      (*schema)["minItems"] = count;
      (*schema)["maxItems"] = count;
    }
    return schema;
  }
  if (name == "map" || name == "unordered_map") {
    if (!is_string(first))
      return failures_.unsupported(type, "the names of members are 'std::string'");
    Schema values = schema_of(type_argument(record, 1), written_argument(written, 1));
    if (!values) return std::nullopt;
    return Json{{"type", "object"}, {"additionalProperties", std::move(*values)}};
  }
  if (name == "variant") return variant(record, written);
  if (name == "time_point") {
    if (qualified_type_name(first) != "std::chrono::system_clock") {
      return failures_.unsupported(type,
                                   "write 'std::chrono::sys_time', a time of the system's clock");
    }
    const bool is_date = period_of(record) == std::pair<std::int64_t, std::int64_t>(86400, 1);
    return Json{{"type", "string"}, {"format", is_date ? "date" : "date-time"}};
  }
  constexpr std::array<std::pair<llvm::StringLiteral, llvm::StringLiteral>, 5> kInstead = {
      {{"shared_ptr", "write 'std::unique_ptr', or the type itself"},
       {"pair", "write a struct with two members"},
       {"tuple", "write a struct"},
       {"list", "write 'std::vector'"},
       {"deque", "write 'std::vector'"}}};
  if (name == "shared_ptr" && failures_.path().empty()) {
    return failures_.unsupported(type, "write the type itself");
  }
  const auto* found = std::ranges::find(kInstead, name, &decltype(kInstead)::value_type::first);
  return failures_.unsupported(type, found == kInstead.end() ? "" : found->second.str());
}

TypeReader::Schema TypeReader::framework(clang::QualType type, const clang::CXXRecordDecl& record,
                                         clang::TypeLoc written) {
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  const llvm::StringRef name = record.getName();
  constexpr std::array<llvm::StringLiteral, 4> kResults = {"Created", "Accepted", "NoContent",
                                                           "Status"};
  if (is_one_of(kResults, name)) return failures_.unsupported(type, kResultHelp);
  if (special == nullptr) return failures_.unsupported(type, "");
  if (name == "Field") return field(*special, written);
  if (name == "Literal") {
    const auto text = text_argument(*special);
    if (!text) return failures_.unsupported(type, "");
    return Json{{"type", "string"}, {"enum", Json::array({*text})}};
  }
  if (name == "Items") {
    Schema schema = list(type_argument(*special, 0), written);
    if (!schema) return std::nullopt;
    if (const auto least = number_argument(*special, 1); least && *least > 0) {
      (*schema)["minItems"] = *least;
    }
    const auto most = number_argument(*special, 2);
    if (most && *most < std::numeric_limits<std::int64_t>::max()) (*schema)["maxItems"] = *most;
    return schema;
  }
  return failures_.unsupported(type, "");
}

TypeReader::Schema TypeReader::field(const clang::ClassTemplateSpecializationDecl& record,
                                     clang::TypeLoc written) {
  const auto text = text_argument(record);
  if (!text) return failures_.unsupported(context_.ast.getRecordType(&record), "");
  note_field_text(context_, written);
  auto parsed = fw::schema::parse_dsl(*text);
  // The rule bad-schema reports errors inside the string.
  if (!std::holds_alternative<fw::schema::Node>(parsed)) return Json::object();
  return Json(fw::schema::to_json_schema(std::get<fw::schema::Node>(parsed)));
}

const Json& TypeReader::resolved(const Json& schema) const {
  const auto target = schema.find("$ref");
  if (target == schema.end()) return schema;
  const std::string component = target->get<std::string>().substr(kDefinitions.size());
  const auto found = std::ranges::find(known_, component, &Known::component);
  return found == known_.end() ? schema : found->schema;
}

std::vector<std::string> TypeReader::names_of_equal_types(
    const std::vector<Json>& alternatives, const std::vector<std::string>& names) const {
  std::map<std::string, std::size_t> counts;
  for (const Json& each : alternatives) {
    const auto types = json_types(resolved(each));
    if (types.empty()) return names;  // any type
    for (const std::string& type : types) ++counts[type];
  }
  std::vector<std::string> equal;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const auto types = json_types(resolved(alternatives[i]));
    const bool shared =
        std::ranges::any_of(types, [&](const std::string& type) { return counts[type] > 1; });
    if (shared) equal.push_back(names[i]);
  }
  return equal;
}

std::optional<TypeReader::VariantProblem> TypeReader::mixed_failure(
    const std::vector<Json>& alternatives, const std::vector<std::string>& names) const {
  const auto resolve = [this](const Json& each) -> const Json& { return resolved(each); };
  std::vector<Json> structs;
  std::vector<std::string> distinct;
  std::vector<std::string> others;
  std::string member;
  bool has_null = false;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const Json& each = resolved(alternatives[i]);
    const bool is_inner = each.contains("discriminator");
    if (is_inner) member = each["discriminator"]["propertyName"].get<std::string>();
    if (is_inner || each.contains("properties")) {
      if (!is_inner) structs.push_back(alternatives[i]);
      distinct.push_back(names[i]);
    } else {
      has_null = has_null || each.value("type", Json()) == "null";
      others.push_back(names[i]);
    }
  }
  if (structs.size() > 1 && member.empty()) {
    const auto schema = variant_schema(structs, resolve);
    if (schema) member = (*schema)["discriminator"]["propertyName"].get<std::string>();
  }
  if (member.empty() || others.empty()) return std::nullopt;
  return VariantProblem{
      fmt::format("no '{}' tells {} apart from {}", member, fmt::join(others, " and "),
                  fmt::join(distinct, " and ")),
      fmt::format("write a struct with a '{}' of its own instead of {}{}", member,
                  others.size() == 1 ? others.front() : "each of these",
                  has_null ? ", or 'std::optional' of a variant of the structs for a member that "
                             "may be absent"
                           : "")};
}

TypeReader::Schema TypeReader::variant(const clang::ClassTemplateSpecializationDecl& record,
                                       clang::TypeLoc written) {
  std::vector<Json> alternatives;
  std::vector<std::string> names;
  const auto pack = record.getTemplateArgs()[0].pack_elements();
  if (pack.size() == 1) {
    return failures_.unsupported(context_.ast.getRecordType(&record), "write its only alternative");
  }
  for (unsigned i = 0; i < pack.size(); ++i) {
    Schema schema = schema_of(pack[i].getAsType(), written_argument(written, i));
    if (!schema) return std::nullopt;
    alternatives.push_back(std::move(*schema));
    // As written: 'std::string' rather than the template that it names.
    const clang::TypeLoc alternative = written_argument(written, i);
    names.push_back(
        shown(context_, alternative.isNull() ? pack[i].getAsType() : alternative.getType()));
  }
  const auto resolve = [this](const Json& each) -> const Json& { return resolved(each); };
  if (auto schema = variant_schema(alternatives, resolve)) return schema;
  if (auto mixed = mixed_failure(alternatives, names)) {
    return failures_.fail(model::rules::ambiguous_variant.id, std::move(mixed->message),
                          std::move(mixed->help),
                          written.isNull() ? clang::SourceRange() : written.getSourceRange());
  }
  const bool has_structs = std::ranges::all_of(
      alternatives, [this](const Json& each) { return resolved(each).contains("properties"); });
  if (!has_structs) names = names_of_equal_types(alternatives, names);
  const std::string optional = optional_discriminator(alternatives, resolve);
  const bool has_variant = std::ranges::any_of(
      alternatives, [this](const Json& each) { return resolved(each).contains("oneOf"); });
  return failures_.fail(
      model::rules::ambiguous_variant.id,
      fmt::format("nothing in JSON tells {} apart", fmt::join(names, " and ")),
      !optional.empty()
          ? fmt::format("'{}' must be in JSON: write it without a default and without "
                        "'std::optional' in each of them",
                        optional)
      : has_variant ? "write the alternatives of the inner variant in the outer one"
      : has_structs ? "give each struct a member of the same name with a value of its own: "
                      "'fw::Literal<\"card\"> kind;'"
                    : "write a struct for each of those with the same type in JSON, with a "
                      "member 'fw::Literal<\"card\"> kind;' that has a value of its own",
      written.isNull() ? clang::SourceRange() : written.getSourceRange());
}

TypeReader::Schema TypeReader::reference(const clang::TagDecl& tag, clang::QualType type) {
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&tag);
  const auto* pattern = special == nullptr ? nullptr : special->getSpecializedTemplate();
  if (pattern != nullptr && nested_.lookup(pattern) >= kMaxNested) {
    is_endless_ = true;
    return failures_.fail(
        model::rules::unsupported_type.id,
        fmt::format("more than {} types of '{}' contain each other", kMaxNested,
                    pattern->getNameAsString()),
        "a type may contain itself, but not a new type at each level",
        failures_.path().empty() ? clang::SourceRange() : failures_.path().front()->getLocation());
  }
  // Instantiates a class template that nothing has needed so far.
  static_cast<void>(context_.sema.isCompleteType(tag.getLocation(), type));
  const clang::TagDecl* definition = tag.getDefinition();
  if (definition == nullptr)
    return failures_.unsupported(type, "include the header that defines it");
  uses_->push_back(definition);
  if (const auto found = index_.find(definition); found != index_.end()) {
    const Known& known = known_[found->second];
    if (!known.failures.empty()) {
      failures_.add(known.failures);
      return std::nullopt;
    }
    return reference_to(known.component);
  }
  if (!check_definition(context_, failures_, type, *definition)) return std::nullopt;
  const std::size_t index = known_.size();
  index_[definition] = index;
  known_.push_back({.component = component_name(context_, type),
                    .name = cpp_name(context_, type),
                    .schema = {}});
  std::vector<const clang::TagDecl*> own;
  std::vector<const clang::TagDecl*>* const outer = std::exchange(uses_, &own);
  std::vector<Generated> own_generated;
  std::vector<Generated>* const outer_generated = std::exchange(generated_, &own_generated);
  const bool outer_needs_code = std::exchange(needs_code_, false);
  Known known = known_[index];
  model::CppType read;
  read.name = known.name;
  read.component = known.component;
  read.header = header_of(context_, *definition);
  read.range = context_.at.token(definition->getLocation());
  const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(definition);
  const std::size_t earlier = failures_.size();
  if (pattern != nullptr) ++nested_[pattern];
  const bool worked = record != nullptr
                          ? read_struct(*record, read, known)
                          : read_enumeration(*llvm::cast<clang::EnumDecl>(definition), read, known);
  if (pattern != nullptr) --nested_[pattern];
  uses_ = outer;
  generated_ = outer_generated;
  read.generated = model_types(own_generated);
  known.generated = std::move(own_generated);
  known.needs_code = std::exchange(needs_code_, outer_needs_code) || record == nullptr ||
                     !names_in_json(context_, *record).listed;
  known.is_local = read.header.empty() || std::ranges::any_of(own, [&](const clang::TagDecl* used) {
                     return known_[index_.lookup(used)].is_local;
                   });
  if (known.is_local) read.header.clear();
  known.uses = std::move(own);
  if (!worked) {
    known.failures = failures_.since(earlier);
  }
  known_[index] = known;
  if (!worked) return std::nullopt;
  read.schema = known.schema.dump();
  const bool has_layout = record != nullptr && !record->isInvalidDecl() &&
                          context_.ast.getTypeSize(context_.ast.VoidPtrTy) == 64;
  if (has_layout) {
    read.size = static_cast<unsigned>(context_.ast.getTypeSizeInChars(type).getQuantity());
  }
  context_.file.types.push_back(std::move(read));
  return reference_to(known.component);
}

TypeReader::Schema TypeReader::generated(const clang::TagDecl& tag, clang::QualType type) {
  Generated found{.type = {.name = cpp_name(context_, type),
                           .header = context_.at.generated_header(tag.getLocation())},
                  .written = type};
  if (!failures_.path().empty()) found.member = failures_.path().back();
  const clang::TagDecl* definition = tag.getDefinition();
  if (const auto* enumeration = llvm::dyn_cast_or_null<clang::EnumDecl>(definition)) {
    for (const clang::EnumConstantDecl* each : enumeration->enumerators()) {
      found.type.enumerators.push_back(each->getNameAsString());
    }
  }
  if (llvm::none_of(*generated_, [&](const auto& each) { return each.type == found.type; })) {
    generated_->push_back(std::move(found));
  }
  return generated_schema(tag);
}

bool TypeReader::read_enumeration(const clang::EnumDecl& enumeration, model::CppType& type,
                                  Known& known) {
  type.is_enumeration = true;
  if (auto failure = failure_of_names(context_, enumeration)) {
    return failures_
        .fail(model::rules::unsupported_type.id, std::move(failure->message),
              std::move(failure->help), failure->location)
        .has_value();
  }
  Json values = Json::array();
  llvm::SmallVector<const clang::EnumConstantDecl*> earlier;
  for (const clang::EnumConstantDecl* each : enumeration.enumerators()) {
    const auto* const same = std::ranges::find_if(earlier, [&](const auto* other) {
      return llvm::APSInt::isSameValue(other->getInitVal(), each->getInitVal());
    });
    if (same != earlier.end()) {
      return failures_
          .unsupported(context_.ast.getEnumType(&enumeration),
                       fmt::format("give '{}' and '{}' different values",
                                   (*same)->getNameAsString(), each->getNameAsString()))
          .has_value();
    }
    const std::string name = enumerator_name(context_, *each);
    const auto namesake = std::ranges::find(type.members, name, &model::TypeMember::json_name);
    if (namesake != type.members.end()) {
      return failures_
          .fail(model::rules::unsupported_type.id,
                fmt::format("the enumerators '{}' and '{}' have one name in JSON, '{}'",
                            namesake->name, each->getNameAsString(), name),
                "give them different names: 'JSON_NAMES' of the target converts these, and "
                "'NLOHMANN_JSON_SERIALIZE_ENUM' replaces them",
                each->getLocation())
          .has_value();
    }
    earlier.push_back(each);
    type.members.push_back({each->getNameAsString(), name});
    values.push_back(type.members.back().json_name);
  }
  if (values.empty()) {
    return failures_.unsupported(context_.ast.getEnumType(&enumeration), "it has no enumerators")
        .has_value();
  }
  known.schema = {{"type", "string"}, {"enum", std::move(values)}};
  return failures_.add_description(enumeration, known.schema);
}

bool TypeReader::read_struct(const clang::CXXRecordDecl& record, model::CppType& type,
                             Known& known) {
  StructReader reader(context_, failures_, *this, record);
  known_[index_.lookup(&record)].schema = reader.outline();
  const bool worked = reader.read(type, known.schema);
  needs_code_ = needs_code_ || reader.needs_code();
  return worked;
}

bool TypeReader::can_be_read() {
  failures_.clear_path();
  return has_no_generated_struct(named_) &&
         std::ranges::all_of(read_, [&](const clang::TagDecl* tag) {
           const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(tag);
           return has_no_generated_struct(known_[index_.lookup(tag)].generated) &&
                  (record == nullptr || check_input(context_, failures_, *record));
         });
}

bool TypeReader::has_no_generated_struct(const std::vector<Generated>& types) {
  const auto found = std::ranges::find_if(types, is_struct, &Generated::type);
  if (found == types.end()) return true;
  const std::string name = shown(context_, found->written);
  return failures_
      .fail(model::rules::unsupported_type.id,
            found->member == nullptr
                ? fmt::format("no request is read into the generated struct '{}'", name)
                : fmt::format("no request is read into the generated struct '{}' of the member "
                              "'{}'",
                              name, found->member->getNameAsString()),
            std::string(model::rules::kGeneratedInputHelp),
            found->member == nullptr ? clang::SourceRange()
                                     : clang::SourceRange(found->member->getLocation()))
      .has_value();
}

}  // namespace fairway::frontend
