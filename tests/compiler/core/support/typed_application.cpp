#include "support/typed_application.hpp"

#include <stdexcept>
#include <string>

#include "model/option_reader.hpp"
#include "schema/route_path.hpp"

namespace fairway::testing {
namespace {

using model::Json;

// The types, as the front end writes them.
constexpr const char* kTypes = R"({
  "NewOrder": {
    "type": "object",
    "description": "What a customer sends to place an order.",
    "properties": {
      "customerId": {"type": "integer", "minimum": 1},
      "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 1, "maxItems": 50},
      "note": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Shown to the driver."},
      "channel": {"$ref": "#/$defs/Channel", "default": "web", "description": "Where it came from."},
      "payment": {
        "oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Transfer"}],
        "discriminator": {"propertyName": "kind", "mapping": {
          "card": "#/$defs/Card", "transfer": "#/$defs/Transfer"}}
      },
      "reference": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}},
      "places": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Address"}},
      "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
      "box": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3},
      "category": {"$ref": "#/$defs/Category"},
      "rule": {"$ref": "#/$defs/Rule"},
      "day": {"type": "string", "format": "date"},
      "createdAt": {"type": "string", "format": "date-time"},
      "gift": {"type": "boolean", "default": false},
      "weight": {"type": "number"},
      "priority": {"type": "integer", "minimum": -128, "maximum": 127, "deprecated": true},
      "extra": {}
    },
    "required": ["customerId", "items", "payment", "labels", "category"]
  },
  "Item": {
    "type": "object",
    "properties": {
      "productId": {"type": "integer", "minimum": 1},
      "quantity": {"type": "integer", "minimum": 1, "maximum": 100}
    },
    "required": ["productId", "quantity"]
  },
  "Channel": {"type": "string", "enum": ["web", "phone"], "description": "A way to order."},
  "Card": {
    "type": "object",
    "properties": {
      "kind": {"type": "string", "enum": ["card"]},
      "number": {"type": "string", "pattern": "^[0-9]{4}$"}
    },
    "required": ["kind", "number"]
  },
  "Transfer": {
    "type": "object",
    "properties": {
      "kind": {"type": "string", "enum": ["transfer"]},
      "number": {"type": "integer"},
      "address": {"$ref": "#/$defs/Address"}
    },
    "required": ["kind", "number"]
  },
  "Address": {
    "type": "object",
    "deprecated": true,
    "properties": {"city": {"type": "string"}},
    "required": ["city"]
  },
  "Category": {
    "type": "object",
    "properties": {
      "name": {"type": "string"},
      "children": {"type": "array", "items": {"$ref": "#/$defs/Category"}},
      "parent": {"$ref": "#/$defs/Category"},
      "byName": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Category"}}
    },
    "required": ["name"]
  },
  "Rule": {
    "type": "object",
    "properties": {
      "when": {
        "oneOf": [{"$ref": "#/$defs/Not"}, {"$ref": "#/$defs/Has"}],
        "discriminator": {"propertyName": "op", "mapping": {
          "not": "#/$defs/Not", "has": "#/$defs/Has"}}
      }
    },
    "required": ["when"]
  },
  "Not": {
    "type": "object",
    "properties": {
      "op": {"type": "string", "enum": ["not"]},
      "rule": {"$ref": "#/$defs/Rule"}
    },
    "required": ["op", "rule"]
  },
  "Has": {
    "type": "object",
    "properties": {"op": {"type": "string", "enum": ["has"]}, "label": {"type": "string"}},
    "required": ["op", "label"]
  },
  "Order": {
    "type": "object",
    "properties": {
      "id": {"type": "integer", "minimum": 0},
      "order": {"$ref": "#/$defs/NewOrder"}
    },
    "required": ["id", "order"]
  },
  "Error": {
    "type": "object",
    "properties": {"reason": {"type": "string"}},
    "required": ["reason"]
  },
  "Filter": {
    "type": "object",
    "properties": {
      "channel": {"$ref": "#/$defs/Channel", "default": "phone", "description": "Orders of it."},
      "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
      "since": {"type": "string", "format": "date", "deprecated": true},
      "tags": {"type": "array", "items": {"type": "string"}}
    }
  },
  "ById": {
    "type": "object",
    "properties": {"id": {"type": "integer", "minimum": 1, "description": "Of an order."}},
    "required": ["id"]
  }
})";

/// A type by its schema, with all types beside it: more than the front end writes.
Json type(const char* schema) {
  Json json = Json::parse(schema);
  json["$defs"] = Json::parse(kTypes);
  return {{"$type", json}};
}

Json named(const std::string& name) {
  return type((R"({"$ref": "#/$defs/)" + name + "\"}").c_str());
}

model::Route route(const std::string& method, const std::string& path, const std::string& id,
                   Json options) {
  model::Route result;
  result.method = method;
  result.subpath = path;
  result.path = fw::schema::join_route_paths("/orders", path);
  result.operation_id = id;
  result.sends_others = false;
  result.options = std::move(options);
  model::read_options(result.options, result,
                      [](const std::string& error) { throw std::invalid_argument(error); });
  return result;
}

}  // namespace

model::Application typed_application() {
  model::RouteFile file;
  file.path = "routes/orders.cpp";
  file.prefix = "/orders";
  const char* const list = R"({"type": "array", "items": {"$ref": "#/$defs/Order"}})";
  const char* const payment = R"({
    "oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Transfer"}],
    "discriminator": {"propertyName": "kind", "mapping": {
      "card": "#/$defs/Card", "transfer": "#/$defs/Transfer"}}})";
  file.routes = {
      route(
          "POST", "/", "placeOrder",
          {{"validate", {{"body", named("NewOrder")}}}, {"responses", {{"201", named("Order")}}}}),
      route("GET", "/", "listOrders",
            {{"validate", {{"query", named("Filter")}}}, {"responses", {{"200", type(list)}}}}),
      route("GET", "/:id", "getOrder",
            {{"validate", {{"param", named("ById")}}},
             {"responses", {{"200", named("Order")}, {"409", named("Error")}}}}),
      route("PUT", "/:id/payment", "pay",
            {{"validate", {{"body", type(payment)}}},
             {"responses", {{"200", type(R"({"anyOf": [{"$ref": "#/$defs/Item"},
                                                        {"$ref": "#/$defs/Category"}]})")}}}}),
      route(
          "PUT", "/:id/labels", "label",
          {{"validate",
            {{"body", type(R"({"type": "object", "additionalProperties": {"type": "integer"}})")}}},
           {"responses", {{"200", named("Channel")}}}}),
  };
  model::Application application;
  application.source_name = "src";
  application.files = {std::move(file)};
  return application;
}

Json typed_order() {
  return Json::parse(R"({
    "customerId": 7,
    "items": [{"productId": 1, "quantity": 2}],
    "note": "left door",
    "channel": "phone",
    "payment": {"kind": "transfer", "number": 12, "address": {"city": "Bonn"}},
    "reference": 42,
    "labels": {"colour": "red", "a/b": ""},
    "places": {"home": {"city": "Ulm"}},
    "tags": ["a", "b"],
    "box": [1.5, 2.0, 3.0],
    "category": {"name": "root",
                 "children": [{"name": "leaf", "children": []}],
                 "parent": {"name": "above"},
                 "byName": {"x": {"name": "y", "byName": {}}}},
    "rule": {"when": {"op": "not", "rule": {"when": {"op": "has", "label": "x"}}}},
    "day": "2024-02-29",
    "createdAt": "2024-01-31T10:20:30Z",
    "gift": true,
    "weight": 0.5,
    "priority": -3,
    "extra": [null, {"a": 1}]
  })");
}

}  // namespace fairway::testing
