#include <string>
#include <string_view>
#include <utility>

#include "openapi/openapi_document.hpp"
#include "openapi/openapi_walk.hpp"

namespace fw::openapi {
namespace {

bool is_zero(const OrderedJson& code) {
  const auto* constant = member(code, "const");
  if (constant) return *constant == 0;
  const auto* list = member(code, "enum");  // OpenAPI 3.0 has no const
  return list && *list == OrderedJson::array({0});
}

/// Whether a schema is the envelope that the compiler writes: exactly code 0, data and requestId.
bool is_envelope(const OrderedJson& schema) {
  const auto* properties = member(schema, "properties");
  if (!properties || properties->size() != 3) return false;
  const auto* code = member(*properties, "code");
  return code && is_zero(*code) && properties->contains("data") &&
         properties->contains("requestId");
}

bool is_envelope_example(const OrderedJson& example) {
  if (!example.is_object() || example.size() != 3) return false;
  const auto* code = member(example, "code");
  return code && *code == 0 && example.contains("data") && example.contains("requestId");
}

class EnvelopeRemover {
 public:
  explicit EnvelopeRemover(const OrderedJson& components) {
    const auto* schemas = member(components, "schemas");
    if (schemas) schemas_ = *schemas;
  }

  void remove_from_responses(OrderedJson& responses) const {
    if (!responses.is_object()) return;
    for (auto& [selector, response] : responses.items()) {
      auto* content = member(response, "content");
      if (!content || !content->is_object()) continue;
      for (auto& [type, media] : content->items()) remove_from_media(media);
    }
  }

 private:
  void remove_from_media(OrderedJson& media) const {
    auto* schema = member(media, "schema");
    if (!schema || !remove_from_schema(*schema)) return;
    if (auto* example = member(media, "example")) remove_from_example(*example);
    auto* examples = member(media, "examples");
    if (!examples || !examples->is_object()) return;
    for (auto& [name, example] : examples->items()) {
      if (auto* value = member(example, "value")) remove_from_example(*value);
    }
  }

  /// Returns whether there was an envelope.
  bool remove_from_schema(OrderedJson& schema) const {
    const OrderedJson* target = resolve(schema);
    if (is_envelope(*target)) {
      OrderedJson data = target->at("properties").at("data");
      schema = std::move(data);
      return true;
    }
    auto* alternatives = member(schema, "anyOf");
    if (!alternatives || !alternatives->is_array()) return false;
    bool removed = false;
    for (OrderedJson& item : *alternatives) removed = remove_from_schema(item) || removed;
    return removed;
  }

  static void remove_from_example(OrderedJson& example) {
    if (!is_envelope_example(example)) return;
    OrderedJson data = std::move(example["data"]);
    example = std::move(data);
  }

  const OrderedJson* resolve(const OrderedJson& schema) const {
    const std::string reference = text_member(schema, "$ref");
    if (!reference.starts_with(schema::kSchemaReferences)) return &schema;
    const auto* named =
        member(schemas_, std::string_view(reference).substr(schema::kSchemaReferences.size()));
    return named ? named : &schema;
  }

  OrderedJson schemas_ = OrderedJson::object();
};

}  // namespace

void remove_envelopes(OrderedJson& document) {
  const auto* components = member(document, "components");
  const EnvelopeRemover remover(components ? *components : OrderedJson::object());
  for_each_operation(document, [&](const auto&, const auto&, OrderedJson& operation) {
    if (auto* responses = member(operation, "responses")) remover.remove_from_responses(*responses);
  });
}

}  // namespace fw::openapi
