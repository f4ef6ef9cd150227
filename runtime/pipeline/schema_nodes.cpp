#include "pipeline/schema_nodes.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#include "schema/declaration_help.hpp"

namespace fw::detail {

schema::Node compile_fields(const SchemaMap& fields, std::vector<std::string>& errors) {
  schema::Node node;
  node.kind = schema::Kind::object;
  for (const SchemaEntry& entry : fields.entries()) {
    std::vector<std::string> own;
    if (std::string error = schema::field_name_error(entry.name()); !error.empty()) {
      own.push_back(std::move(error));
    }
    node.fields.push_back({entry.name(), compile_field(entry.field(), own)});
    for (const std::string& error : own) errors.push_back(entry.name() + ": " + error);
  }
  return node;
}

schema::Node compile_field(const SchemaField& field, std::vector<std::string>& errors) {
  if (field.form() == SchemaField::Form::object) {
    schema::Node node = compile_fields(field.fields(), errors);
    node.required = !field.is_optional();
    return node;
  }
  if (field.form() == SchemaField::Form::array) {
    schema::Node node;
    node.kind = schema::Kind::array;
    node.required = !field.is_optional();
    node.items = std::make_shared<const schema::Node>(compile_fields(field.fields(), errors));
    return node;
  }
  auto parsed = schema::parse_dsl(field.dsl());
  if (const auto* error = std::get_if<schema::DslError>(&parsed)) {
    errors.push_back("'" + field.dsl() + "': " + error->message +
                     (error->help.empty() ? "" : "; " + error->help));
    return {};
  }
  auto node = std::get<schema::Node>(std::move(parsed));
  node.description = field.description();
  return node;
}

namespace {

const std::type_info* type_of(const RouteTypes* types, std::string_view selector) {
  if (types == nullptr) return nullptr;
  const auto found = std::ranges::find(types->responses, selector, &ResponseType::selector);
  return found == types->responses.end() ? nullptr : found->type;
}

}  // namespace

std::optional<schema::OutputSchema> compile_output(const ResponseSchema& schema,
                                                   std::vector<std::string>& errors) {
  try {
    if (const auto* text = std::get_if<JsonSchema>(&schema.get())) {
      return schema::OutputSchema(Json::parse(text->text));
    }
    return schema::OutputSchema(
        schema::to_json_schema(compile_field(std::get<SchemaField>(schema.get()), errors)));
  } catch (const std::exception& error) {
    errors.emplace_back(error.what());
    return std::nullopt;
  }
}

ResponseSchemas compile_responses(const Responses& responses, const RouteTypes* types,
                                  std::vector<std::string>& errors) {
  ResponseSchemas schemas;
  for (const auto& [selector, response] : responses) {
    const std::string member = "responses." + selector.str();
    std::vector<std::string> own;
    try {
      if (auto schema = compile_output(response, own)) {
        schemas.add(selector.str(), std::move(*schema), type_of(types, selector.str()));
      }
    } catch (const std::exception& error) {
      own.emplace_back(error.what());
    }
    for (const std::string& error : own) errors.push_back(member + ": " + error);
  }
  return schemas;
}

}  // namespace fw::detail
