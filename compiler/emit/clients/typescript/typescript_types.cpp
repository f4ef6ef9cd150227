#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "base/ascii.hpp"
#include "emit/clients/client_api.hpp"
#include "emit/clients/typescript/typescript_parts.hpp"
#include "emit/openapi.hpp"
#include "emit/source_parts.hpp"
#include "model/openapi_document.hpp"

namespace fairway::emit {
namespace {

using model::Json;

bool is_set(const Json& schema, const char* member) {
  const auto found = schema.find(member);
  return found != schema.end() && found->is_boolean() && found->get<bool>();
}

bool is_file(const Json& schema) {
  return text(schema, "format") == "binary" ||
         text(schema, "contentMediaType") == "application/octet-stream";
}

// A constant as a type. Constant objects and arrays have no literal type.
std::string literal_type(const Json& value) {
  if (value.is_string()) return typescript_string(value.get<std::string>());
  return value.is_structured() ? "unknown" : value.dump();
}

// Whether `type` needs parentheses before `[]` and inside `|` and `&`.
bool is_compound(std::string_view type) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const char c = type[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '{' || c == '[' || c == '(' || c == '<') ++depth;
    if (c == '}' || c == ']' || c == ')' || c == '>') --depth;
    if (depth == 0 && (c == '|' || c == '&')) return true;
  }
  return false;
}

std::string in_parentheses(const std::string& type) {
  return is_compound(type) ? '(' + type + ')' : type;
}

/// Collects the parts of a union or an intersection, each once.
class Parts {
 public:
  explicit Parts(std::string_view separator) : separator_(separator) {}

  void add(const std::string& part) {
    if (std::ranges::find(parts_, part) == parts_.end()) parts_.push_back(part);
  }

  std::string text() const {
    if (parts_.size() == 1) return parts_.front();
    std::string result;
    for (const std::string& part : parts_) {
      if (!result.empty()) result += separator_;
      result += separator_ == " | " ? part : in_parentheses(part);
    }
    return result;
  }

  bool empty() const { return parts_.empty(); }

 private:
  std::string_view separator_;
  std::vector<std::string> parts_;
};

// Names of types that the file has already: its own, and globals that it uses.
constexpr std::string_view kOwnNames =
    "ApiError ValidationFailure TransportError FieldFailure ClientOptions RequestOptions "
    "FileInput Outcome ApiCall Failed ErrorClass Reading Operation Input Transport "
    "TimeLimit StreamOptions TraceContext EventReader LineReader LineSplitter "
    "Reconnection StreamReader CookieJar KeptCookie";
constexpr std::string_view kGlobalNames =
    "AbortController AbortSignal Array ArrayBuffer Blob Boolean Date Error FormData "
    "Function Generator Headers Iterable JSON Map Math Number Object Pick Promise "
    "ReadableStreamDefaultReader Readonly Record RegExp RequestInit Response ReturnType "
    "Set String Symbol TextEncoder TypeError URL Uint8Array WeakSet";
constexpr std::string_view kSocketNames =
    "Socket SocketOptions SocketClientOptions SocketClose SocketClosed SocketFailure "
    "SocketOperation WebSocketLike WebSocketFactory MessageOf DataOf RawMessages "
    "MessageQueue WebSocket AsyncIterable AsyncGenerator AsyncIterator IteratorResult";

}  // namespace

TypeScriptTypes::TypeScriptTypes(const Json& schemas, const std::string& class_name,
                                 bool has_sockets)
    : schemas_(schemas), scope_({class_name}) {
  const auto add = [&](std::string_view names) {
    fw::base::for_each_token(names, ' ',
                             [&](std::string_view name) { scope_.add(std::string(name)); });
  };
  add(kOwnNames);
  add(kGlobalNames);
  if (has_sockets) add(kSocketNames);
  // Components keep their names, even if operations have the same names.
  for (const auto& [name, schema] : schemas.items()) {
    names_[std::string(model::kSchemaReferences) + name] = scope_.add(model::pascal_case(name));
  }
}

std::string TypeScriptTypes::expression(const Json& schema) {
  if (schema.is_boolean()) return schema.get<bool>() ? "unknown" : "never";
  if (!schema.is_object()) return "unknown";
  if (const std::string target = text(schema, "$ref"); !target.empty()) return reference(target);
  if (schema.contains("const")) return literal_type(schema["const"]);

  Parts all(" & ");
  const auto values = schema.find("enum");
  const auto type = schema.find("type");
  if (values != schema.end() && values->is_array() && !values->empty()) {
    Parts any(" | ");
    for (const Json& value : *values) any.add(literal_type(value));
    all.add(any.text());
  } else if (type != schema.end() && type->is_array()) {
    Parts any(" | ");
    for (const Json& one : *type) any.add(one_type(one.get<std::string>(), schema));
    all.add(any.text());
  } else if (type != schema.end() && type->is_string()) {
    all.add(one_type(type->get<std::string>(), schema));
  } else if (schema.contains("properties") || schema.contains("additionalProperties")) {
    all.add(object_type(schema));
  } else if (schema.contains("items") || schema.contains("prefixItems")) {
    all.add(array_type(schema));
  } else if (is_file(schema)) {
    all.add("FileInput");
  }
  for (const char* choice : {"anyOf", "oneOf"}) {
    if (schema.contains(choice)) all.add(joined(schema[choice], " | "));
  }
  if (schema.contains("allOf")) all.add(joined(schema["allOf"], " & "));
  const std::string result = all.empty() ? "unknown" : all.text();
  return is_set(schema, "nullable") ? result + " | null" : result;
}

std::string TypeScriptTypes::joined(const Json& choices, std::string_view separator) {
  Parts parts(separator);
  for (const Json& choice : choices) parts.add(expression(choice));
  return parts.empty() ? "unknown" : parts.text();
}

std::string TypeScriptTypes::one_type(const std::string& type, const Json& schema) {
  if (type == "string") return is_file(schema) ? "FileInput" : "string";
  if (type == "integer" || type == "number") return "number";
  if (type == "boolean" || type == "null") return type;
  if (type == "array") return array_type(schema);
  if (type == "object") return object_type(schema);
  return "unknown";
}

std::string TypeScriptTypes::array_type(const Json& schema) {
  const auto items = schema.find("items");
  const auto first = schema.find("prefixItems");
  if (first == schema.end()) {
    return (items == schema.end() ? "unknown" : in_parentheses(expression(*items))) + "[]";
  }
  std::string tuple;
  for (const Json& item : *first) tuple += in_parentheses(expression(item)) + "?, ";
  if (items != schema.end() && *items == false)
    return '[' + tuple.substr(0, tuple.size() - 2) + ']';
  const std::string rest = items == schema.end() ? "unknown" : in_parentheses(expression(*items));
  return '[' + tuple + "..." + rest + "[]]";
}

std::string TypeScriptTypes::member(const std::string& name, bool required, const Json& schema) {
  std::string doc;
  if (schema.is_object()) {
    doc = typescript_doc({text(schema, "description")}, is_set(schema, "deprecated"));
  }
  return fill("$doc$\n$name$$mark$: $type$;\n", {{"doc", doc},
                                                 {"name", typescript_member(name)},
                                                 {"mark", required ? "" : "?"},
                                                 {"type", expression(schema)}});
}

std::string TypeScriptTypes::object_type(const Json& schema) {
  const Json properties = schema.value("properties", Json::object());
  const Json required = schema.value("required", Json::array());
  const auto is_required = [&](const std::string& name) {
    return std::ranges::find(required, Json(name)) != required.end();
  };
  std::string members;
  for (const auto& [name, property] : properties.items()) {
    members += member(name, is_required(name), property);
  }
  for (const Json& name : required) {
    if (!properties.contains(name)) members += member(name.get<std::string>(), true, true);
  }
  const auto others = schema.find("additionalProperties");
  const bool has_type_of_others = others != schema.end() && others->is_object();
  // The index signature applies to named members, too, so its type must include theirs.
  if (members.empty() && others != schema.end() && *others == false) return "Record<string, never>";
  if (members.empty()) {
    const std::string type = has_type_of_others ? expression(*others) : "unknown";
    return "{ [name: string]: " + type + " }";
  }
  if (has_type_of_others) members += "[name: string]: unknown;\n";
  return fill("{\n  $members$\n}", {{"members", members}});
}

const Json* TypeScriptTypes::find(std::string_view target) const {
  if (!target.starts_with(model::kSchemaReferences)) return nullptr;
  const Json* found = &schemas_;
  for (const std::string& segment :
       model::pointer_steps(target.substr(model::kSchemaReferences.size()))) {
    if (found->is_object() && found->contains(segment)) {
      found = &found->at(segment);
    } else if (found->is_array() && segment.size() < 6 && !segment.empty() &&
               std::ranges::all_of(segment, [](char c) { return c >= '0' && c <= '9'; }) &&
               std::stoul(segment) < found->size()) {
      found = &found->at(std::stoul(segment));
    } else {
      return nullptr;
    }
  }
  return found;
}

std::string TypeScriptTypes::reference(const std::string& target) {
  if (!find(target)) return "unknown";
  const auto [entry, is_new] = names_.emplace(target, "");
  if (is_new) {
    // A part of a component is named after the component and the part.
    const auto segments = model::pointer_steps(target.substr(model::kSchemaReferences.size()));
    entry->second =
        scope_.add(model::pascal_case(segments.front()) + model::pascal_case(segments.back()));
  }
  if (std::ranges::find(pending_, target) == pending_.end()) pending_.push_back(target);
  return entry->second;
}

std::string TypeScriptTypes::named(const std::string& wish, const Json& schema) {
  const std::string type = expression(schema);
  if (type.find_first_of("{|&") == std::string::npos) return type;
  const std::string doc =
      schema.is_object() ? typescript_doc({text(schema, "description")}) : std::string();
  return declare(wish, doc, type);
}

std::string TypeScriptTypes::class_name(const std::string& wish) {
  constexpr std::string_view kGlobals[] = {"Infinity", "NaN", "ReadableStream", "Request"};
  const bool is_global = std::ranges::find(kGlobals, wish) != std::end(kGlobals);
  return scope_.add(is_global ? wish + '_' : wish);
}

std::string TypeScriptTypes::declare(const std::string& wish, const std::string& doc,
                                     const std::string& body) {
  const std::string name = scope_.add(wish);
  add_declaration(name, doc, body);
  return name;
}

void TypeScriptTypes::add_declaration(const std::string& name, const std::string& doc,
                                      const std::string& body) {
  const bool is_interface = body.starts_with("{\n") && body.find("\n}") == body.size() - 2;
  const bool is_on_own_lines = body.starts_with('\n');
  declarations_ +=
      fill(is_interface ? "$doc$\nexport interface $name$ $body$\n\n"
                        : "$doc$\nexport type $name$ =$blank$$body$;\n\n",
           {{"doc", doc}, {"name", name}, {"blank", is_on_own_lines ? "" : " "}, {"body", body}});
}

bool TypeScriptTypes::is_endless(const std::string& target) const {
  std::vector<const Json*> open = {find(target)};
  const Json* const start = open.front();
  std::set<const Json*> seen;
  while (!open.empty()) {
    const Json* schema = open.back();
    open.pop_back();
    if (!schema || !schema->is_object() || !seen.insert(schema).second) continue;
    std::vector<const Json*> next;
    if (schema->contains("$ref")) next.push_back(find(text(*schema, "$ref")));
    for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
      const auto parts = schema->find(keyword);
      if (parts == schema->end() || !parts->is_array()) continue;
      for (const Json& part : *parts) next.push_back(&part);
    }
    if (std::ranges::find(next, start) != next.end()) return true;
    open.insert(open.end(), next.begin(), next.end());
  }
  return false;
}

std::string TypeScriptTypes::declarations() {
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const std::string target = pending_[i];
    const Json& schema = *find(target);
    const std::string doc = schema.is_object() ? typescript_doc({text(schema, "description")},
                                                                is_set(schema, "deprecated"))
                                               : std::string();
    const std::string& name = names_.at(target);
    // TypeScript rejects circular aliases.
    add_declaration(name, doc, is_endless(target) ? "unknown" : expression(schema));
  }
  return declarations_;
}

}  // namespace fairway::emit
