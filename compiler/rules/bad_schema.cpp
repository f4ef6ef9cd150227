#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "model/source_rules.hpp"
#include "model/value_members.hpp"
#include "rules/route_rules.hpp"
#include "schema/declaration_help.hpp"

namespace fairway::rules {
namespace {

using model::Value;

/// The document has the pattern of a string, which the program matches with RE2.
void check_pattern(const Value& text, const fw::schema::Node& node, Reporter& reporter) {
  if (node.items) return check_pattern(text, *node.items, reporter);
  if (node.pattern.empty()) return;
  const auto error = pattern_error(node.pattern, PatternUse::shared);
  if (!error) return;
  const std::size_t begin = text.text.find("/" + node.pattern + "/");
  const bool has_span = error->length > 0;
  reporter.report(rules::bad_schema,
                  "the pattern is not a regular expression of ECMAScript: " + error->message,
                  part_of(text, has_span ? begin + 1 + error->offset : begin,
                          has_span ? error->length : node.pattern.size() + 2),
                  error->help);
}

}  // namespace

fw::schema::Node parsed_text(const Value& text, Reporter& reporter) {
  auto parsed = fw::schema::parse_dsl(text.text);
  if (auto* error = std::get_if<fw::schema::DslError>(&parsed)) {
    auto& added =
        reporter.report(rules::bad_schema, std::move(error->message),
                        part_of(text, error->offset, error->length), std::move(error->help));
    if (!error->replacement.empty()) {
      add_fix(added, text, error->offset, error->length, std::move(error->replacement));
    }
    return {};
  }
  auto& node = std::get<fw::schema::Node>(parsed);
  check_enumerators(text, node, reporter);
  check_pattern(text, node, reporter);
  return std::move(node);
}

namespace {

fw::schema::Node misuse(const Value& value, Reporter& reporter) {
  reporter.report(
      model::rules::schema_builder_misuse, "this is not a schema", value.range,
      "write a string such as \"string:1-50\", a list of fields, 'fw::array_of', 'fw::optional' or "
      "'fw::schema_adapter::compile_field'");
  return {};
}

fw::schema::Node built_field(const Value& call, Reporter& reporter) {
  if (call.items.empty() || call.items[0].kind != Value::Kind::string) {
    return misuse(call, reporter);
  }
  fw::schema::Node field = parsed_text(call.items[0], reporter);
  field.description = string_member(call, "description");
  return field;
}

fw::schema::Node array_of(const Value& call, Reporter& reporter) {
  if (call.items.empty()) return misuse(call, reporter);
  fw::schema::Node array;
  array.kind = fw::schema::Kind::array;
  array.items = std::make_shared<const fw::schema::Node>(declared_fields(call.items[0], reporter));
  return array;
}

fw::schema::Node optional_field(const Value& call, Reporter& reporter) {
  if (call.items.empty()) return misuse(call, reporter);
  const Value& inner = call.items[0];
  const bool is_array = inner.kind == Value::Kind::call && inner.text == "array_of";
  if (!is_array && inner.kind != Value::Kind::list) return misuse(inner, reporter);
  fw::schema::Node field = declared_field(inner, reporter);
  field.required = false;
  return field;
}

void check_field_name(const Value& name, const Value& field, Reporter& reporter) {
  if (name.text.empty()) {
    reporter.report(rules::bad_schema, "a field has no name", name.range);
    return;
  }
  std::string error = fw::schema::field_name_error(name.text);
  if (error.empty()) return;
  const bool is_optional = name.text.back() == '?';
  const bool is_text = field.kind == Value::Kind::string;
  const std::string help = !is_optional ? "remove it: a field is required without a suffix"
                           : is_text
                               ? fmt::format("put it at the end of the type: {{\"{}\", \"{}?\"}}",
                                             name.text.substr(0, name.text.size() - 1), field.text)
                               : "write 'fw::optional(…)' around the object or the array";
  reporter.report(rules::bad_schema, std::move(error), part_of(name, name.text.size() - 1, 1),
                  help);
}

}  // namespace

fw::schema::Node declared_field(const Value& value, Reporter& reporter) {
  if (is_type(value)) {
    return fw::schema::node_of_schema(model::Json::parse(value.items[1].text));
  }
  if (value.kind == Value::Kind::string) return parsed_text(value, reporter);
  if (value.kind == Value::Kind::list) return declared_fields(value, reporter);
  if (value.kind == Value::Kind::call && value.text == "compile_field") {
    return built_field(value, reporter);
  }
  if (value.kind == Value::Kind::call && value.text == "array_of") return array_of(value, reporter);
  if (value.kind == Value::Kind::call && value.text == "optional") {
    return optional_field(value, reporter);
  }
  return misuse(value, reporter);
}

fw::schema::Node declared_fields(const Value& fields, Reporter& reporter,
                                 std::string_view location) {
  if (is_type(fields)) return declared_field(fields, reporter);
  fw::schema::Node object;
  object.kind = fw::schema::Kind::object;
  std::map<std::string, const Value*> names;
  std::vector<const Value*> declared;
  for (const Value& entry : fields.items) {
    if (!is_named_entry(entry) || entry.items[0].kind != Value::Kind::string) {
      misuse(entry, reporter);
      continue;
    }
    const Value& name = entry.items[0];
    const auto [first, is_new] =
        names.emplace(location == "header" ? fw::base::lower_case(name.text) : name.text, &name);
    if (!is_new && !name.text.empty()) {
      reporter
          .report(rules::bad_schema, fmt::format("the field '{}' is declared twice", name.text),
                  name.range,
                  name.text == first->second->text
                      ? "remove one of them"
                      : "remove one of them: the names of header fields are not case-sensitive")
          .notes.push_back({"first declared here", first->second->range});
      continue;
    }
    check_field_name(name, entry.items[1], reporter);
    fw::schema::Node field = declared_field(entry.items[1], reporter);
    if (std::string error = fw::schema::field_type_error(location, field); !error.empty()) {
      reporter.report(
          rules::bad_schema, std::move(error), entry.items[1].range,
          "declare a string and split it in the handler, or take an array in the query");
    }
    object.fields.push_back({name.text, std::move(field)});
    declared.push_back(&name);
  }
  check_members(declared, object, location, reporter);
  return object;
}

}  // namespace fairway::rules
