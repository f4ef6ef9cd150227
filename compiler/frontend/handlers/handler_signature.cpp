#include "frontend/handlers/handler_signature.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_names.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/types/variant_schema.hpp"
#include "model/type_rules.hpp"
#include "schema/node.hpp"

namespace fairway::frontend {
namespace {

using Json = nlohmann::ordered_json;

const clang::ParmVarDecl* parameter_of_type(const clang::FunctionDecl& handler,
                                            llvm::StringRef name, unsigned index) {
  for (const clang::ParmVarDecl* each : handler.parameters()) {
    if (qualified_type_name(each->getType().getNonReferenceType()) == name) return each;
  }
  // `auto&` in the classic form, which may be followed by parameters with defaults.
  if (handler.getNumParams() < 2) return nullptr;
  if (handler.getNumParams() > 2 && !handler.getParamDecl(2)->hasDefaultArg()) return nullptr;
  const clang::ParmVarDecl* other = handler.getParamDecl(index);
  return other->getType().getNonReferenceType()->isDependentType() ? other : nullptr;
}

/// Templates of the framework whose argument is what a handler takes.
constexpr std::array<std::pair<llvm::StringLiteral, llvm::StringLiteral>, 5> kInputs = {
    {{"fw::Param", "param"},
     {"fw::Query", "query"},
     {"fw::Header", "header"},
     {"fw::Cookie", "cookie"},
     {"fw::Body", "body"}}};

const clang::ClassTemplateSpecializationDecl* specialisation(clang::QualType type) {
  return llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_of(type));
}

/// A result of a handler: a status, and the type of its data; a null type: none.
struct Result {
  int status = 200;
  clang::QualType type;
};

std::optional<Result> wrapped_result(clang::QualType type) {
  const auto* record = record_of(type);
  if (record == nullptr) return std::nullopt;
  const std::string name = record->getQualifiedNameAsString();
  if (name == "fw::NoContent") return Result{204, {}};
  const auto* special = specialisation(type);
  if (special == nullptr) return std::nullopt;
  if (name == "fw::Created") return Result{201, type_argument(*special, 0)};
  if (name == "fw::Accepted") return Result{202, type_argument(*special, 0)};
  if (name != "fw::Status") return std::nullopt;
  const auto& arguments = special->getTemplateArgs();
  if (arguments.size() < 2 || arguments[0].getKind() != clang::TemplateArgument::Integral) {
    return std::nullopt;
  }
  const clang::QualType data = type_argument(*special, 1);
  const bool has_data = !data.isNull() && !data->isVoidType();
  return Result{static_cast<int>(arguments[0].getAsIntegral().getExtValue()),
                has_data ? data : clang::QualType()};
}

std::vector<Result> results_of(clang::QualType type) {
  if (const auto wrapped = wrapped_result(type)) return {*wrapped};
  const auto* special = specialisation(type);
  if (special != nullptr && is_std_type(type, {"variant"})) {
    std::vector<Result> results;
    bool has_wrapper = false;
    for (const clang::TemplateArgument& each : special->getTemplateArgs()[0].pack_elements()) {
      const auto wrapped = wrapped_result(each.getAsType());
      has_wrapper = has_wrapper || wrapped.has_value();
      results.push_back(wrapped.value_or(Result{200, each.getAsType()}));
    }
    if (has_wrapper) return results;
  }
  return {{200, type}};
}

/// The string of a `kEventName`; empty if it is no literal.
std::string literal_of(const clang::VarDecl& constant) {
  const clang::Expr* e = constant.getAnyInitializer();
  while (e != nullptr) {
    e = &strip_wrappers(*e->IgnoreUnlessSpelledInSource());
    if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(e)) {
      return literal->getCharByteWidth() == 1 ? literal->getString().str() : std::string();
    }
    const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(e);
    const auto* list = llvm::dyn_cast<clang::InitListExpr>(e);
    e = construct != nullptr && construct->getNumArgs() > 0 ? construct->getArg(0)
        : list != nullptr && list->getNumInits() > 0        ? list->getInit(0)
                                                            : nullptr;
  }
  return {};
}

const clang::VarDecl* constant_in(const clang::CXXRecordDecl& record, llvm::StringRef name) {
  for (const clang::Decl* member : record.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(member);
    if (variable != nullptr && variable->getName() == name) return variable;
  }
  for (const clang::CXXBaseSpecifier& base : record.bases()) {
    const auto* inner = record_of(base.getType());
    const auto* found = inner == nullptr ? nullptr : constant_in(*inner, name);
    if (found != nullptr) return found;
  }
  return nullptr;
}

/// The name of the events of a type, as `fw::EventStream::send` has it: `kEventName`, or
/// "orderCreated" for `OrderCreated`. Empty after reporting why it is not known.
std::string event_name(FileContext& context, const clang::CXXRecordDecl& record,
                       const model::Range& range) {
  std::string name = record.getNameAsString();
  const clang::VarDecl* constant = constant_in(record, "kEventName");
  if (constant == nullptr) {
    if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') {
      name[0] = static_cast<char>(name[0] - 'A' + 'a');
    }
    return name;
  }
  std::string text = literal_of(*constant);
  if (text.empty()) {
    context
        .report(model::rules::unsupported_type,
                fmt::format("the name of the events of '{}' is not a string literal", name), range)
        .help = "write 'static constexpr std::string_view kEventName = \"created\";'";
  }
  return text;
}

/// Adds the items of `fw::Events<…>` or `fw::Lines<T>`; false for other types.
bool add_stream(FileContext& context, TypeReader& types, clang::QualType type,
                clang::TypeLoc returned, const model::Range& range, model::Signature& signature) {
  const auto* special = specialisation(type);
  const std::string name = special == nullptr ? "" : special->getQualifiedNameAsString();
  const bool is_events = name == "fw::Events";
  if (!is_events && name != "fw::Lines") return false;
  const auto& arguments = special->getTemplateArgs();
  llvm::SmallVector<clang::QualType> items;
  if (is_events) {
    for (const clang::TemplateArgument& each : arguments[0].pack_elements()) {
      items.push_back(each.getAsType());
    }
  } else {
    items.push_back(arguments[0].getAsType());
  }
  for (unsigned i = 0; i < items.size(); ++i) {
    auto use = types.read_result(items[i], written_argument(returned, i), range);
    const auto* record = record_of(items[i]);
    // The header of the framework rejects other types.
    if (!use || record == nullptr) continue;
    std::string event = is_events ? event_name(context, *record, range) : std::string();
    if (is_events && event.empty()) continue;
    signature.results.push_back({.status = 200,
                                 .type = std::move(*use),
                                 .range = range,
                                 .stream = is_events ? "events" : "lines",
                                 .event = std::move(event)});
  }
  return true;
}

/// A part of the request that consists of named values needs a struct, which names them. `written`
/// is the type in the source.
bool check_parameters(FileContext& context, llvm::StringRef location, clang::QualType type,
                      clang::TypeLoc written, const model::Range& range) {
  const auto* record = record_of(type);
  const bool is_struct = record != nullptr && !is_in_namespace(*record, "std") &&
                         !is_in_namespace(*record, "fw") && !is_json_type(type);
  if (location == "body" || is_struct || type->isDependentType()) return true;
  constexpr std::array<std::pair<llvm::StringLiteral, llvm::StringLiteral>, 4> kParts = {
      {{"param", "path parameter"},
       {"query", "query parameter"},
       {"header", "header"},
       {"cookie", "cookie"}}};
  const std::string part = std::ranges::find_if(kParts, [&](const auto& each) {
                             return location == each.first;
                           })->second.str();
  const std::string name = shown(context, written.isNull() ? type : written.getType());
  context
      .report(model::rules::unsupported_type,
              fmt::format("'{}' is no struct whose members are the {}s", name, part), range)
      .help = fmt::format("write a struct that has a member with the name of each {}", part);
  return false;
}

/// A type that a parameter, which is a string, or several strings of one name, cannot have.
struct Structure {
  std::string_view name;
  std::string_view instead;
};

std::optional<Structure> structure_of(const Json& member,
                                      const std::function<const Json&(const Json&)>& resolved) {
  const auto kind_of = [](const Json& schema) -> std::string {
    const auto types = json_types(schema);
    return types.empty() ? schema.contains("oneOf") ? "oneOf" : "any" : types.front();
  };
  const std::string kind = kind_of(member);
  if (kind == "object") return Structure{"an object", "write its members one by one"};
  if (kind == "oneOf") return Structure{"of several types", "write one type"};
  if (kind == "any") return Structure{"any JSON", "write 'std::string'"};
  const auto items = member.find("items");
  if (kind != "array" || items == member.end()) return std::nullopt;
  const std::string item = kind_of(resolved(*items));
  if (item == "array") return Structure{"a list of lists", "write one list"};
  if (item == "object") return Structure{"a list of objects", "write a list for each member"};
  if (item == "oneOf") return Structure{"a list of several types", "write a list of one type"};
  if (item == "any") return Structure{"a list of any JSON", "write a list of 'std::string'"};
  return std::nullopt;
}

/// Whether a `fw::Field` of the file has an invalid string: its schema is any JSON, and the rule
/// bad-schema reports the string.
bool has_invalid_text(const model::ParsedFile& file) {
  return std::ranges::any_of(file.field_texts, [](const model::Value& each) {
    return !std::holds_alternative<fw::schema::Node>(fw::schema::parse_dsl(each.text));
  });
}

/// The members of a query or another part that consists of strings are scalars or lists of these.
void check_members(FileContext& context, const model::TypeUse& use, const model::Range& range) {
  const Json whole = Json::parse(use.schema);
  const auto resolved = [&](const Json& schema) -> const Json& {
    const auto target = schema.find("$ref");
    return target == schema.end()
               ? schema
               : whole.at(Json::json_pointer(target->get<std::string>().substr(1)));
  };
  const Json& parameters = resolved(whole);
  if (!parameters.contains("properties")) return;
  for (const auto& [name, written] : parameters["properties"].items()) {
    const auto structure = structure_of(resolved(written), resolved);
    if (!structure) continue;
    if (structure->name.ends_with("any JSON") && has_invalid_text(context.file)) continue;
    const auto type =
        std::ranges::find(context.file.types, use.types.front(), &model::CppType::name);
    const model::TypeMember* declared = nullptr;
    if (type != context.file.types.end()) {
      const auto found = std::ranges::find(type->members, name, &model::TypeMember::json_name);
      if (found != type->members.end() && found->range.line != 0) declared = &*found;
    }
    auto& diagnostic =
        context.report(model::rules::unsupported_type,
                       fmt::format("'{}' is {}, and a parameter is a string or a list of strings",
                                   name, structure->name),
                       declared == nullptr ? range : declared->range);
    diagnostic.help = fmt::format("{}, or take it with 'fw::Body<T>'", structure->instead);
    if (declared != nullptr) diagnostic.notes.push_back({"used by this route", range});
  }
}

/// `fw::Created<void>`: the status has data, and nothing says of which type. `written` is in the
/// source, if it is this type.
void report_without_data(FileContext& context, int status, clang::TypeLoc written,
                         const model::Range& range) {
  const std::string_view name = status == 201 ? "fw::Created" : "fw::Accepted";
  const std::string instead = fmt::format("fw::Status<{}>", status);
  auto& diagnostic = context.report(model::rules::unsupported_type,
                                    fmt::format("'{}<void>' has no data", name), range);
  diagnostic.help = fmt::format(
      "write '{}' for a response without a body, or '{}<T>' for one with a 'T'", instead, name);
  if (written.isNull()) return;
  const auto place =
      context.at.characters(clang::CharSourceRange::getTokenRange(written.getSourceRange()));
  if (place) diagnostic.fixes = {{*place, instead}};
}

/// Reports results with one status that a client cannot tell apart.
void check_results(FileContext& context, const std::vector<model::TypedResult>& results,
                   const model::Range& use) {
  std::map<int, std::vector<const model::TypeUse*>> by_status;
  for (const model::TypedResult& each : results) {
    auto& types = by_status[each.status];
    const bool is_new =
        !each.type.schema.empty() && std::ranges::none_of(types, [&](const model::TypeUse* other) {
          return other->name == each.type.name;
        });
    if (is_new) types.push_back(&each.type);
  }
  for (const auto& [status, types] : by_status) {
    if (types.size() < 2) continue;
    std::vector<Json> alternatives;
    std::vector<std::string> names;
    Json definitions = Json::object();
    for (const model::TypeUse* type : types) {
      alternatives.push_back(Json::parse(type->schema));
      names.push_back(type->name.substr(type->name.starts_with("::") ? 2 : 0));
      if (const auto own = alternatives.back().find("$defs"); own != alternatives.back().end()) {
        for (const auto& [name, each] : own->items()) definitions[name] = each;
        alternatives.back().erase("$defs");
      }
    }
    const auto resolve = [&](const Json& each) -> const Json& {
      const auto target = each.find("$ref");
      if (target == each.end()) return each;
      const auto found = definitions.find(target->get<std::string>().substr(kDefinitions.size()));
      return found == definitions.end() ? each : *found;
    };
    if (variant_schema(alternatives, resolve)) continue;
    context
        .report(model::rules::ambiguous_variant,
                fmt::format("nothing in JSON tells {} apart, which are sent with the status {}",
                            fmt::join(names, " and "), status),
                use)
        .help =
        "give them different statuses, or give each struct a member of the same name with "
        "a value of its own: 'fw::Literal<\"card\"> kind;'";
  }
}

}  // namespace

bool is_input_template(llvm::StringRef name) {
  return std::ranges::any_of(kInputs, [&](const auto& each) { return name == each.first; });
}

std::string kind_of_parameter(clang::QualType type) {
  const std::string name = qualified_type_name(type.getNonReferenceType());
  if (name == "fw::Request" || name == "fw::Response") {
    return type->isLValueReferenceType() ? name : std::string();
  }
  const clang::QualType value = type.getNonReferenceType();
  const bool is_changed = (type->isLValueReferenceType() && !value.isConstQualified()) ||
                          (type->isReferenceType() && value.isVolatileQualified());
  return is_input_template(name) && !is_changed ? name : std::string();
}

const clang::ParmVarDecl* request_parameter(const clang::FunctionDecl& handler) {
  return parameter_of_type(handler, "fw::Request", 0);
}

const clang::ParmVarDecl* response_parameter(const clang::FunctionDecl& handler) {
  return parameter_of_type(handler, "fw::Response", 1);
}

const clang::ParmVarDecl* socket_parameter(const clang::FunctionDecl& handler) {
  return parameter_of_type(handler, "fw::Socket", 1);
}

model::Signature handler_signature(FileContext& context, TypeReader& types,
                                   const HandlerType& handler) {
  model::Signature signature;
  for (const auto& [parameter, written, range] : handler.parameters) {
    const clang::QualType type = parameter.getNonReferenceType();
    const auto* special = specialisation(type);
    if (special == nullptr) continue;
    const std::string name = special->getQualifiedNameAsString();
    const auto* input = std::ranges::find_if(
        kInputs, [&](const auto& each) { return llvm::StringRef(name) == each.first; });
    if (input == kInputs.end()) continue;
    const clang::QualType argument = type_argument(*special, 0);
    const clang::TypeLoc named = written_argument(written, 0);
    if (argument->isReferenceType() || argument.hasLocalQualifiers()) continue;  // reported
    if (!check_parameters(context, input->second, argument, named, range)) continue;
    auto use = types.read_input(argument, named, range);
    if (use && input->second != "body") check_members(context, *use, range);
    if (use) signature.inputs.push_back({input->second.str(), std::move(*use), range});
  }
  // A handler that has sent another response keeps it; otherwise this one is sent.
  const auto& [result, returned, range] = handler.result;
  const clang::QualType type = result.getNonReferenceType().getUnqualifiedType();
  const bool sends = !type->isVoidType() && !type->isDependentType() && !type->isUndeducedType() &&
                     qualified_type_name(type) != "fw::Response";
  if (!sends) return signature;
  if (add_stream(context, types, type, returned, range, signature)) return signature;
  const std::vector<Result> results = results_of(type);
  for (const Result& each : results) {
    model::TypedResult typed{.status = each.status, .type = {}, .range = range};
    if (!each.type.isNull() && each.type->isVoidType()) {
      const bool is_whole = results.size() == 1;
      report_without_data(context, each.status, is_whole ? returned : clang::TypeLoc(), range);
      continue;
    }
    if (!each.type.isNull()) {
      auto use = text_in_response(each.type);
      if (!use) {
        use = types.read_result(each.type, each.type == type ? returned : clang::TypeLoc(), range);
      }
      if (!use) continue;
      typed.type = std::move(*use);
    }
    signature.results.push_back(std::move(typed));
  }
  check_results(context, signature.results, range);
  return signature;
}

}  // namespace fairway::frontend
