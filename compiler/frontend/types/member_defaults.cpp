#include "frontend/types/member_defaults.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "base/counted.hpp"
#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/types/enumerator_names.hpp"
#include "frontend/types/type_members.hpp"
#include "frontend/values/static_value.hpp"
#include "schema/node.hpp"

namespace fairway::frontend {
namespace {

using Json = nlohmann::ordered_json;

/// The default constructor that the struct declares and does not default; null if there is none.
const clang::CXXConstructorDecl* own_constructor(const clang::CXXRecordDecl& record) {
  const auto found = std::find_if(record.ctor_begin(), record.ctor_end(),
                                  [](const clang::CXXConstructorDecl* each) {
                                    return each->isDefaultConstructor() && each->isUserProvided();
                                  });
  if (found == record.ctor_end()) return nullptr;
  const clang::FunctionDecl* defined = nullptr;
  (*found)->isDefined(defined);
  return llvm::cast<clang::CXXConstructorDecl>(defined == nullptr ? *found : defined);
}

/// Whether the initialisers are known, and no code follows them.
bool only_initialises(const clang::CXXConstructorDecl& constructor) {
  if (constructor.hasSkippedBody() || constructor.isDelegatingConstructor()) return false;
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(constructor.getBody());
  return body != nullptr && body->body_empty();
}

const clang::Expr& written_value(const clang::Expr& expression) {
  const clang::Expr* e = &strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  // `= {5}` and `{5}` of a value.
  while (const auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) {
    if (list->getNumInits() != 1 || e->getType()->isRecordType()) break;
    e = &strip_wrappers(*list->getInit(0)->IgnoreUnlessSpelledInSource());
  }
  return *e;
}

/// `{}`, `= {}` and `T()`
bool is_empty(const clang::Expr& value) {
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&value)) {
    return list->getNumInits() == 0;
  }
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&value)) {
    return std::all_of(made->arg_begin(), made->arg_end(), [](const clang::Expr* argument) {
      return llvm::isa<clang::CXXDefaultArgExpr>(argument);
    });
  }
  return llvm::isa<clang::CXXScalarValueInitExpr, clang::ImplicitValueInitExpr>(value);
}

std::optional<Json> name_of_value(const FileContext& context, const clang::EnumDecl& enumeration,
                                  const llvm::APSInt& value) {
  const auto found = std::find_if(
      enumeration.enumerator_begin(), enumeration.enumerator_end(),
      [&](const auto* each) { return llvm::APSInt::isSameValue(each->getInitVal(), value); });
  if (found == enumeration.enumerator_end()) return std::nullopt;
  return enumerator_name(context, **found);
}

/// A number as the program converts it to a type; null if that has no defined result.
std::optional<Json> converted(const clang::ASTContext& ast, const clang::APValue& number,
                              clang::QualType type) {
  if (type->isFloatingType()) {
    llvm::APFloat result(ast.getFloatTypeSemantics(type));
    constexpr auto kRounding = llvm::APFloat::rmNearestTiesToEven;
    if (number.isInt()) {
      result.convertFromAPInt(number.getInt(), number.getInt().isSigned(), kRounding);
    } else {
      bool loses_digits = false;
      result = number.getFloat();
      result.convert(ast.getFloatTypeSemantics(type), kRounding, &loses_digits);
    }
    return result.isFinite() ? std::optional(Json(result.convertToDouble())) : std::nullopt;
  }
  if (type->isBooleanType()) {
    return number.isInt() ? number.getInt().getBoolValue() : number.getFloat().isNonZero();
  }
  llvm::APSInt whole(ast.getIntWidth(type), type->isUnsignedIntegerType());
  if (number.isInt()) {
    whole = number.getInt().extOrTrunc(whole.getBitWidth());
    whole.setIsSigned(type->isSignedIntegerType());
  } else {
    bool is_exact = false;
    const auto status =
        number.getFloat().convertToInteger(whole, llvm::APFloat::rmTowardZero, &is_exact);
    if ((status & llvm::APFloat::opInvalidOp) != 0) return std::nullopt;
  }
  if (whole.getBitWidth() > 64) return std::nullopt;
  return whole.isSigned() ? Json(whole.getSExtValue()) : Json(whole.getZExtValue());
}

/// Whether a value depends on the function or the line where the struct is made, such as
/// `std::source_location::current().line()`.
bool depends_on_place(const clang::Stmt& value) {
  if (llvm::isa<clang::SourceLocExpr, clang::PredefinedExpr>(value)) return true;
  if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(&value)) {
    return depends_on_place(*argument->getExpr());
  }
  const auto parts = value.children();
  return std::any_of(parts.begin(), parts.end(), [](const clang::Stmt* part) {
    return part != nullptr && depends_on_place(*part);
  });
}

/// A number, a boolean or an enumerator, computed by Clang.
std::optional<Json> scalar_value(const FileContext& context, const clang::Expr& value,
                                 clang::QualType type) {
  const auto* enumeration = type->getAs<clang::EnumType>();
  clang::Expr::EvalResult result;
  if (is_empty(value)) {
    if (enumeration != nullptr) {
      return name_of_value(context, *enumeration->getDecl(), llvm::APSInt::get(0));
    }
    return type->isBooleanType() ? Json(false) : Json(0);
  }
  if (value.isValueDependent() || !value.EvaluateAsRValue(result, context.ast) ||
      result.HasSideEffects || !(result.Val.isInt() || result.Val.isFloat()) ||
      depends_on_place(value) || dependence_of(context, value).condition != nullptr) {
    return std::nullopt;
  }
  if (enumeration == nullptr) return converted(context.ast, result.Val, type);
  if (!result.Val.isInt()) return std::nullopt;
  return name_of_value(context, *enumeration->getDecl(), result.Val.getInt());
}

/// A string, number or boolean as it is written.
std::optional<Json> literal_value(const FileContext& context, const clang::Expr& value) {
  const auto known = evaluate(context, value, Purpose::path).value;
  if (!known) return std::nullopt;
  switch (known->kind) {
    case model::Value::Kind::boolean:
      return known->boolean;
    case model::Value::Kind::integer:
      return known->integer;
    case model::Value::Kind::number:
      return known->number;
    case model::Value::Kind::string:
      return known->text;
    default:
      return std::nullopt;
  }
}

/// The value of an `fw::Field` that is made without one.
std::optional<Json> initial_value(const Json& schema) {
  if (const auto written = schema.find("default"); written != schema.end()) return *written;
  const std::string type = schema.value("type", "");
  if (type == "string") return "";
  if (type == "boolean") return false;
  if (type == "integer" || type == "number") return 0;
  if (type == "array") return Json::array();
  return std::nullopt;
}

std::optional<Json> field_value(const FileContext& context, const clang::Expr& value,
                                const Json& schema) {
  if (is_empty(value)) return initial_value(schema);
  // `Field("…")`, `Field{"…"}`
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&value);
  const clang::Expr& argument =
      made != nullptr && made->getNumArgs() == 1 ? written_value(*made->getArg(0)) : value;
  const clang::QualType type = argument.getType();
  if (type->isArithmeticType() && !type->isEnumeralType()) {
    return scalar_value(context, argument, type);
  }
  return literal_value(context, argument);
}

/// Longer lists are not in the document.
constexpr std::size_t kMaxItems = 100;

/// The items in `{1, 2}`, if the constructor that takes such a list is called.
const clang::InitListExpr* written_items(const clang::Expr& value) {
  const clang::Expr* e = &value;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    if (made->getNumArgs() == 0) return nullptr;
    const bool has_others = std::any_of(
        std::next(made->arg_begin()), made->arg_end(),
        [](const clang::Expr* other) { return !llvm::isa<clang::CXXDefaultArgExpr>(other); });
    if (has_others) return nullptr;
    e = &strip_wrappers(*made->getArg(0));
  }
  const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(e);
  return list == nullptr
             ? nullptr
             : llvm::dyn_cast<clang::InitListExpr>(&strip_wrappers(*list->getSubExpr()));
}

/// Whether the container compares its items or keys as the standard library does. An order of its
/// own may keep fewer of them.
bool has_standard_order(const clang::ClassTemplateSpecializationDecl& container,
                        clang::QualType key) {
  const bool is_simple =
      key->isEnumeralType() || key->isArithmeticType() || is_std_type(key, {"basic_string"});
  return is_simple &&
         std::ranges::all_of(container.getTemplateArgs().asArray(), [](const auto& argument) {
           if (argument.getKind() != clang::TemplateArgument::Type) return true;
           const auto* record = record_of(argument.getAsType());
           return record == nullptr || is_in_namespace(*record, "std");
         });
}

/// The member that a map gets from `{"name", value}`: a call of a constructor of std::pair.
std::optional<std::pair<std::string, Json>> map_member(const FileContext& context,
                                                       const clang::Expr& item,
                                                       clang::QualType type, const Json& schema,
                                                       DefaultCheck& check) {
  const auto* pair = llvm::dyn_cast<clang::CXXConstructExpr>(&written_value(item));
  if (pair == nullptr || pair->getNumArgs() != 2) return std::nullopt;
  const auto name = literal_value(context, written_value(*pair->getArg(0)));
  const auto value = default_value(context, *pair->getArg(1), type, schema, check);
  if (!name || !name->is_string() || !value) return std::nullopt;
  return std::pair(name->get<std::string>(), *value);
}

/// The items of a std::array, those that are not written included.
std::optional<Json> array_value(const FileContext& context, const clang::Expr& value,
                                clang::QualType type, const Json& schema, DefaultCheck& check) {
  const auto* whole = llvm::dyn_cast<clang::InitListExpr>(&value);
  if (whole == nullptr || whole->getNumInits() != 1) return std::nullopt;
  const clang::Expr* all = whole->getInit(0);
  const auto* items = llvm::dyn_cast<clang::InitListExpr>(all);
  const bool is_known = items != nullptr || is_empty(*all);
  const auto count = schema.value("minItems", std::size_t{0});
  if (!is_known || count > kMaxItems) return std::nullopt;
  Json result = Json::array();
  for (unsigned i = 0; i < count; ++i) {
    const clang::Expr* item = items == nullptr           ? all
                              : i < items->getNumInits() ? items->getInit(i)
                                                         : items->getArrayFiller();
    const auto known =
        item == nullptr ? std::nullopt
                        : default_value(context, *item, type, schema.value("items", Json()), check);
    if (!known) return std::nullopt;
    result.push_back(*known);
  }
  return result;
}

/// A container that is made from a list of its items.
std::optional<Json> items_value(const FileContext& context, const clang::Expr& value,
                                const clang::ClassTemplateSpecializationDecl& container,
                                const Json& schema, DefaultCheck& check) {
  const llvm::StringRef name = container.getName();
  const bool is_map = name.ends_with("map");
  const bool is_set = name.ends_with("set");
  const clang::QualType type = type_argument(container, is_map ? 1 : 0);
  if (name == "array") return array_value(context, value, type, schema, check);
  if (is_empty(value)) return is_map ? Json::object() : Json::array();
  const clang::InitListExpr* items = written_items(value);
  const bool is_known =
      items != nullptr && items->getNumInits() <= kMaxItems &&
      ((!is_set && !is_map) || has_standard_order(container, type_argument(container, 0)));
  if (!is_known) return std::nullopt;
  Json result = is_map ? Json::object() : Json::array();
  for (const clang::Expr* item : items->inits()) {
    if (is_map) {
      auto member =
          map_member(context, *item, type, schema.value("additionalProperties", Json()), check);
      if (!member) return std::nullopt;
      result.emplace(std::move(member->first), std::move(member->second));
      continue;
    }
    auto known = default_value(context, *item, type, schema.value("items", Json()), check);
    if (!known) return std::nullopt;
    const bool is_there = is_set && std::find(result.begin(), result.end(), *known) != result.end();
    if (!is_there) result.push_back(*std::move(known));
  }
  // As it is written; names of enumerators have another order.
  if (name == "set" && !type->isEnumeralType()) std::sort(result.begin(), result.end());
  return result;
}

std::string name_in(const DefaultCheck& check) {
  return check.depth == 0 ? check.name : "an item of " + check.name;
}

/// Checks a value of a `fw::Field` by its string.
void check_field(const std::string& dsl, const clang::Expr& initialiser, const Json& value,
                 DefaultCheck& check) {
  auto parsed = fw::schema::parse_dsl(dsl);
  auto* const node = std::get_if<fw::schema::Node>(&parsed);
  if (node == nullptr) return;
  const std::string name = name_in(check);
  fw::schema::Node whole;
  whole.kind = fw::schema::Kind::object;
  whole.fields.push_back({name, std::move(*node)});
  const auto checked = fw::schema::validate(whole, {{name, value}}, fw::schema::Source::json);
  if (checked.errors.empty()) return;
  check.errors.push_back({initialiser.getSourceRange(), checked.errors.front().message,
                          fmt::format("write a value that '{}' accepts", dsl)});
}

std::optional<Json> container_value(const FileContext& context, const clang::Expr& initialiser,
                                    const clang::ClassTemplateSpecializationDecl& container,
                                    const Json& schema, DefaultCheck& check) {
  ++check.depth;
  auto value = items_value(context, written_value(initialiser), container, schema, check);
  --check.depth;
  const std::size_t least = schema.value("minItems", std::size_t{0});
  if (value && value->is_array() && value->size() < least) {
    check.errors.push_back(
        {initialiser.getSourceRange(),
         fmt::format("{} must have at least {}", name_in(check), fw::base::counted(least, "item")),
         "remove the default, or allow fewer items"});
  }
  return value;
}

}  // namespace

ConstructorEffect constructor_effect(const clang::CXXRecordDecl& record) {
  const auto* constructor = own_constructor(record);
  return constructor == nullptr || only_initialises(*constructor) ? ConstructorEffect::none
                                                                  : ConstructorEffect::unknown;
}

const clang::Expr* member_initialiser(const clang::CXXRecordDecl& record,
                                      const clang::FieldDecl& field) {
  const auto* constructor = own_constructor(record);
  if (constructor != nullptr && only_initialises(*constructor)) {
    for (const clang::CXXCtorInitializer* each : constructor->inits()) {
      if (each->isWritten() && each->getMember() == &field) return each->getInit();
    }
  }
  if (field.getInClassInitializer() != nullptr || !field.hasInClassInitializer()) {
    return field.getInClassInitializer();
  }
  // A template that is not instantiated as far as that.
  const clang::CXXRecordDecl* pattern = record.getTemplateInstantiationPattern();
  if (pattern == nullptr) return nullptr;
  for (const clang::FieldDecl* each : pattern->fields()) {
    if (each->getFieldIndex() != field.getFieldIndex()) continue;
    const clang::Expr* written = each->getInClassInitializer();
    return written == nullptr || written->isInstantiationDependent() ? nullptr : written;
  }
  return nullptr;
}

bool sets_members_of_base(const clang::CXXRecordDecl& record, const clang::CXXBaseSpecifier& base) {
  const auto* constructor = own_constructor(record);
  if (constructor == nullptr) return false;
  if (!only_initialises(*constructor)) return true;
  return std::any_of(constructor->init_begin(), constructor->init_end(), [&](const auto* each) {
    return each->isWritten() && each->isBaseInitializer() &&
           each->getBaseClass()->getAsCXXRecordDecl() == base.getType()->getAsCXXRecordDecl() &&
           !is_empty(written_value(*each->getInit()));
  });
}

std::string field_text(clang::QualType type) {
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  const bool is_field = special != nullptr && qualified_type_name(type) == "fw::Field";
  return is_field ? text_argument(*special).value_or("") : "";
}

std::optional<Json> default_value(const FileContext& context, const clang::Expr& initialiser,
                                  clang::QualType type, const Json& schema, DefaultCheck& check) {
  if (initialiser.containsErrors()) return std::nullopt;
  const clang::QualType canonical = type.getCanonicalType().getUnqualifiedType();
  const clang::Expr& value = written_value(initialiser);
  // An optional that contains nothing.
  const bool is_nothing =
      llvm::isa<clang::CXXNullPtrLiteralExpr>(value) ||
      is_std_type(value.getType(), {"nullopt_t"}) ||
      (is_std_type(value.getType(), {"optional", "unique_ptr"}) && is_empty(value));
  if (is_nothing) return std::nullopt;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&value);
      made != nullptr && is_std_type(made->getType(), {"optional"})) {
    return made->getNumArgs() == 1 ? default_value(context, *made->getArg(0), type, schema, check)
                                   : std::nullopt;
  }
  if (canonical->isArithmeticType() || canonical->isEnumeralType()) {
    const clang::QualType own = initialiser.getType();
    // With its conversions, if it is not the value of an optional.
    const bool is_scalar = own->isArithmeticType() || own->isEnumeralType();
    return scalar_value(context, is_scalar && !is_empty(value) ? initialiser : value, canonical);
  }
  const clang::CXXRecordDecl* record = canonical->getAsCXXRecordDecl();
  if (record == nullptr) return std::nullopt;
  if (is_in_namespace(*record, "fw")) {
    if (record->getName() == "Field") {
      const auto known = field_value(context, value, schema);
      if (known) check_field(field_text(canonical), initialiser, *known, check);
      return known;
    }
    if (record->getName() != "Items") return std::nullopt;
    return container_value(context, initialiser,
                           *llvm::cast<clang::ClassTemplateSpecializationDecl>(record), schema,
                           check);
  }
  if (is_json_type(canonical)) {
    return is_empty(value) ? std::nullopt : literal_value(context, value);
  }
  if (is_std_type(canonical, {"basic_string"})) {
    return is_empty(value) ? std::optional(Json("")) : literal_value(context, value);
  }
  if (is_std_type(canonical, {"vector", "array", "set", "unordered_set", "map", "unordered_map"})) {
    return container_value(context, initialiser,
                           *llvm::cast<clang::ClassTemplateSpecializationDecl>(record), schema,
                           check);
  }
  if (is_empty(value) || !is_std_type(canonical, {"variant"})) return std::nullopt;
  if (value.getType()->isEnumeralType()) return scalar_value(context, value, value.getType());
  return literal_value(context, value);
}

bool is_new_value(const clang::Expr& initialiser) { return is_empty(written_value(initialiser)); }

bool keeps_members(clang::QualType type) {
  const clang::QualType canonical = type.getCanonicalType();
  const clang::CXXRecordDecl* record = canonical->getAsCXXRecordDecl();
  if (record == nullptr || is_json_type(canonical)) return false;
  if (is_std_type(canonical, {"array"})) {
    return keeps_members(
        type_argument(*llvm::cast<clang::ClassTemplateSpecializationDecl>(record), 0));
  }
  return !is_in_namespace(*record, "std") && !is_in_namespace(*record, "fw");
}

}  // namespace fairway::frontend
