#include "app/contract.hpp"

#include <array>
#include <utility>
#include <variant>

namespace fw::detail {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson fields_json(const SchemaMap& fields);

OrderedJson required_json(const SchemaField& field) {
  switch (field.form()) {
    case SchemaField::Form::dsl:
      return field.dsl();
    case SchemaField::Form::builder:
      return {{"$field", field.dsl()}, {"description", field.description()}};
    case SchemaField::Form::object:
      return fields_json(field.fields());
    default: {
      OrderedJson list = OrderedJson::array();
      list.push_back(fields_json(field.fields()));
      return list;
    }
  }
}

OrderedJson field_json(const SchemaField& field) {
  if (field.is_optional()) return {{"$optional", required_json(field)}};
  return required_json(field);
}

OrderedJson fields_json(const SchemaMap& fields) {
  OrderedJson json = OrderedJson::object();
  for (const SchemaEntry& entry : fields.entries()) json[entry.name()] = field_json(entry.field());
  return json;
}

OrderedJson response_json(const ResponseSchema& response) {
  if (const auto* text = std::get_if<JsonSchema>(&response.get())) {
    return {{"$jsonSchema", text->text}};
  }
  return field_json(std::get<SchemaField>(response.get()));
}

OrderedJson middleware_json(const MiddlewareRef& reference) {
  if (reference.options().is_null()) return reference.name();
  return {{"name", reference.name()}, {"options", OrderedJson(reference.options())}};
}

}  // namespace

OrderedJson contract_of(const RouteRecord& record) {
  OrderedJson contract = {{"method", record.method}, {"path", record.path}};
  const Validate& validate = record.options.validate;
  for (const auto& [name, fields] :
       {std::pair{"param", &validate.param}, std::pair{"query", &validate.query},
        std::pair{"header", &validate.header}, std::pair{"cookie", &validate.cookie},
        std::pair{"body", &validate.body}}) {
    if (!fields->empty()) contract["validate"][name] = fields_json(*fields);
  }
  for (const auto& response : record.options.responses) {
    contract["responses"][response.name.str()] = response_json(response.value);
  }
  for (const MiddlewareRef& reference : record.options.middlewares) {
    contract["middlewares"].push_back(middleware_json(reference));
  }
  const Text& operation_id = record.options.docs.operation_id;
  if (!operation_id.empty()) contract["operationId"] = operation_id.str();
  return contract;
}

}  // namespace fw::detail
