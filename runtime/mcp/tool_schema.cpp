#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcp/tool.hpp"
#include "openapi/openapi_walk.hpp"
#include "schema/openapi_names.hpp"
#include "schema/schema_visitor.hpp"

namespace fw::mcp {
namespace {

using openapi::member;
using openapi::OrderedJson;
using openapi::text_member;

constexpr std::string_view kDefinitions = "#/$defs/";
constexpr int kMaxReferences = 16;  ///< in a row

class Converter {
 public:
  explicit Converter(const OrderedJson& document)
      : is_3_0_(text_member(document, "openapi").starts_with("3.0")) {}

  void convert(OrderedJson& root) {
    schema::for_each_schema(root, "", [&](OrderedJson& schema, const std::string&) {
      if (!schema.is_object()) return;
      refer_to_definition(schema);
      // They name components by their place in the document.
      schema.erase("discriminator");
      if (is_3_0_) convert_3_0(schema);
    });
  }

  /// The names of the components that were referred to since the last call.
  std::vector<std::string> take_names() { return std::exchange(names_, {}); }

 private:
  void refer_to_definition(OrderedJson& schema) {
    const std::string target = text_member(schema, "$ref");
    if (!target.starts_with(schema::kSchemaReferences)) return;
    const std::string_view rest = std::string_view(target).substr(schema::kSchemaReferences.size());
    names_.emplace_back(rest.substr(0, rest.find('/')));
    schema["$ref"] = std::string(kDefinitions).append(rest);
  }

  static void convert_3_0(OrderedJson& schema) {
    for (const auto& [exclusive, bound] :
         {std::pair{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}}) {
      const OrderedJson* const flag = member(schema, exclusive);
      if (flag == nullptr || !flag->is_boolean()) continue;
      const bool is_exclusive = *flag == true;
      schema.erase(exclusive);
      if (!is_exclusive || !schema.contains(bound)) continue;
      schema[exclusive] = schema[bound];
      schema.erase(bound);
    }
    const OrderedJson* const nullable = member(schema, "nullable");
    if (nullable == nullptr) return;
    const OrderedJson* const type = member(schema, "type");
    if (*nullable == true && type != nullptr && type->is_string()) {
      schema["type"] = OrderedJson::array({*type, "null"});
    }
    schema.erase("nullable");
  }

  const bool is_3_0_;
  std::vector<std::string> names_;
};

}  // namespace

const OrderedJson& referenced(const OrderedJson& document, const OrderedJson& value) {
  const OrderedJson* found = &value;
  for (int i = 0; i < kMaxReferences; ++i) {
    const std::string target = text_member(*found, "$ref");
    if (!target.starts_with("#/")) return *found;
    const OrderedJson::json_pointer pointer(target.substr(1));
    if (!document.contains(pointer)) return *found;
    found = &document.at(pointer);
  }
  return *found;
}

OrderedJson self_contained(OrderedJson schema, const OrderedJson& document) {
  Converter converter(document);
  converter.convert(schema);
  const OrderedJson* const components = member(document, "components");
  const OrderedJson* const schemas =
      components != nullptr ? member(*components, "schemas") : nullptr;
  OrderedJson definitions = OrderedJson::object();
  std::vector<std::string> names = converter.take_names();
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    const OrderedJson* const component = schemas != nullptr ? member(*schemas, name) : nullptr;
    if (component == nullptr || definitions.contains(name)) continue;
    OrderedJson& definition = definitions[name] = *component;
    converter.convert(definition);
    for (std::string& further : converter.take_names()) names.push_back(std::move(further));
  }
  for (auto& [name, definition] : definitions.items()) schema["$defs"][name] = definition;
  return schema;
}

}  // namespace fw::mcp
