// The code of the types, as the route compiler generates it.
#include "support/shop_types.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "support/shop_code.hpp"

namespace fw::detail {

void TypeCode<shop::Item>::read(JsonReader& in, shop::Item& out) {
  static constexpr std::string_view kMembers[] = {"productId", "quantity"};
  for (JsonObject object(in, kMembers, 0b1); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.product_id);
        break;
      case 1:
        read_member(in, out.quantity);
        break;
    }
  }
}

void TypeCode<shop::Item>::read(FieldReader& in, shop::Item& out) {
  if (in.require("productId")) read_member(in, out.product_id);
  if (in.find("quantity")) read_member(in, out.quantity);
}

void TypeCode<shop::Item>::write(JsonWriter& out, const shop::Item& value) {
  out.raw(R"({"productId":)");
  write_member(out, value.product_id);
  out.raw(R"(,"quantity":)");
  write_member(out, value.quantity);
  out.raw("}");
}

void TypeCode<shop::Card>::read(JsonReader& in, shop::Card& out) {
  static constexpr std::string_view kMembers[] = {"kind", "number"};
  for (JsonObject object(in, kMembers, 0b11); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.kind);
        break;
      case 1:
        read_member(in, out.number);
        break;
    }
  }
}

void TypeCode<shop::Card>::read(FieldReader& in, shop::Card& out) {
  if (in.require("kind")) read_member(in, out.kind);
  if (in.require("number")) read_member(in, out.number);
}

void TypeCode<shop::Card>::write(JsonWriter& out, const shop::Card& value) {
  out.raw(R"({"kind":)");
  write_member(out, value.kind);
  out.raw(R"(,"number":)");
  write_member(out, value.number);
  out.raw("}");
}

void TypeCode<shop::Transfer>::read(JsonReader& in, shop::Transfer& out) {
  static constexpr std::string_view kMembers[] = {"kind", "iban"};
  for (JsonObject object(in, kMembers, 0b11); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.kind);
        break;
      case 1:
        read_member(in, out.iban);
        break;
    }
  }
}

void TypeCode<shop::Transfer>::read(FieldReader& in, shop::Transfer& out) {
  if (in.require("kind")) read_member(in, out.kind);
  if (in.require("iban")) read_member(in, out.iban);
}

void TypeCode<shop::Transfer>::write(JsonWriter& out, const shop::Transfer& value) {
  out.raw(R"({"kind":)");
  write_member(out, value.kind);
  out.raw(R"(,"iban":)");
  write_member(out, value.iban);
  out.raw("}");
}

void TypeCode<shop::NewOrder>::read(JsonReader& in, shop::NewOrder& out) {
  static constexpr std::string_view kMembers[] = {"customerId", "items",   "note",
                                                  "channel",    "payment", "labels"};
  for (JsonObject object(in, kMembers, 0b110011); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.customer_id);
        break;
      case 1:
        read_member(in, out.items);
        break;
      case 2:
        read_member(in, out.note);
        break;
      case 3:
        read_member(in, out.channel);
        break;
      case 4:
        read_member(in, out.payment);
        break;
      case 5:
        read_member(in, out.labels);
        break;
    }
  }
}

void TypeCode<shop::NewOrder>::write(JsonWriter& out, const shop::NewOrder& value) {
  out.raw(R"({"customerId":)");
  write_member(out, value.customer_id);
  out.raw(R"(,"items":)");
  write_member(out, value.items);
  if (value.note) {
    out.member(R"("note":)");
    write_member(out, *value.note);
  }
  out.member(R"("channel":)");
  write_member(out, value.channel);
  out.raw(R"(,"payment":)");
  write_member(out, value.payment);
  out.raw(R"(,"labels":)");
  write_member(out, value.labels);
  out.raw("}");
}

void TypeCode<shop::Number>::read(JsonReader& in, shop::Number& out) {
  static constexpr std::string_view kMembers[] = {"kind", "value"};
  for (JsonObject object(in, kMembers, 0b1); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.kind);
        break;
      case 1:
        read_member(in, out.value);
        break;
    }
  }
}

void TypeCode<shop::Number>::read(FieldReader& in, shop::Number& out) {
  if (in.require("kind")) read_member(in, out.kind);
  if (in.find("value")) read_member(in, out.value);
}

void TypeCode<shop::Number>::write(JsonWriter& out, const shop::Number& value) {
  out.raw(R"({"kind":)");
  write_member(out, value.kind);
  out.raw(R"(,"value":)");
  write_member(out, value.value);
  out.raw("}");
}

void TypeCode<shop::Sum>::read(JsonReader& in, shop::Sum& out) {
  static constexpr std::string_view kMembers[] = {"kind", "terms"};
  for (JsonObject object(in, kMembers, 0b11); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.kind);
        break;
      case 1:
        read_member(in, out.terms);
        break;
    }
  }
}

void TypeCode<shop::Sum>::write(JsonWriter& out, const shop::Sum& value) {
  out.raw(R"({"kind":)");
  write_member(out, value.kind);
  out.raw(R"(,"terms":)");
  write_member(out, value.terms);
  out.raw("}");
}

void TypeCode<shop::Tree>::read(JsonReader& in, shop::Tree& out) {
  static constexpr std::string_view kMembers[] = {"name", "children", "other"};
  for (JsonObject object(in, kMembers, 0b11); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.name);
        break;
      case 1:
        read_member(in, out.children);
        break;
      case 2:
        read_member(in, out.other);
        break;
    }
  }
}

void TypeCode<shop::Tree>::write(JsonWriter& out, const shop::Tree& value) {
  out.raw(R"({"name":)");
  write_member(out, value.name);
  out.raw(R"(,"children":)");
  write_member(out, value.children);
  if (value.other) {
    out.member(R"("other":)");
    write_member(out, *value.other);
  }
  out.raw("}");
}

void TypeCode<shop::Everything>::read(JsonReader& in, shop::Everything& out) {
  static constexpr std::string_view kMembers[] = {
      "flag",  "tiny",   "byte",    "small",   "port",   "medium", "count",   "large",    "size",
      "ratio", "price",  "name",    "stars",   "offset", "active", "slug",    "email",    "uuid",
      "color", "digits", "version", "channel", "maybe",  "owned",  "flags",   "position", "tags",
      "ids",   "lines",  "by_name", "choice",  "day",    "at",     "exactly", "anything"};
  for (JsonObject object(in, kMembers, 0b11111111111001111111111111111111111); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.flag);
        break;
      case 1:
        read_member(in, out.tiny);
        break;
      case 2:
        read_member(in, out.byte);
        break;
      case 3:
        read_member(in, out.small);
        break;
      case 4:
        read_member(in, out.port);
        break;
      case 5:
        read_member(in, out.medium);
        break;
      case 6:
        read_member(in, out.count);
        break;
      case 7:
        read_member(in, out.large);
        break;
      case 8:
        read_member(in, out.size);
        break;
      case 9:
        read_member(in, out.ratio);
        break;
      case 10:
        read_member(in, out.price);
        break;
      case 11:
        read_member(in, out.name);
        break;
      case 12:
        read_member(in, out.stars);
        break;
      case 13:
        read_member(in, out.offset);
        break;
      case 14:
        read_member(in, out.active);
        break;
      case 15:
        read_member(in, out.slug);
        break;
      case 16:
        read_member(in, out.email);
        break;
      case 17:
        read_member(in, out.uuid);
        break;
      case 18:
        read_member(in, out.color);
        break;
      case 19:
        read_member(in, out.digits);
        break;
      case 20:
        read_member(in, out.version);
        break;
      case 21:
        read_member(in, out.channel);
        break;
      case 22:
        read_member(in, out.maybe);
        break;
      case 23:
        read_member(in, out.owned);
        break;
      case 24:
        read_member(in, out.flags);
        break;
      case 25:
        read_member(in, out.position);
        break;
      case 26:
        read_member(in, out.tags);
        break;
      case 27:
        read_member(in, out.ids);
        break;
      case 28:
        read_member(in, out.lines);
        break;
      case 29:
        read_member(in, out.by_name);
        break;
      case 30:
        read_member(in, out.choice);
        break;
      case 31:
        read_member(in, out.day);
        break;
      case 32:
        read_member(in, out.at);
        break;
      case 33:
        read_member(in, out.exactly);
        break;
      case 34:
        read_member(in, out.anything);
        break;
    }
  }
}

void TypeCode<shop::Everything>::write(JsonWriter& out, const shop::Everything& value) {
  out.raw(R"({"flag":)");
  write_member(out, value.flag);
  out.raw(R"(,"tiny":)");
  write_member(out, value.tiny);
  out.raw(R"(,"byte":)");
  write_member(out, value.byte);
  out.raw(R"(,"small":)");
  write_member(out, value.small);
  out.raw(R"(,"port":)");
  write_member(out, value.port);
  out.raw(R"(,"medium":)");
  write_member(out, value.medium);
  out.raw(R"(,"count":)");
  write_member(out, value.count);
  out.raw(R"(,"large":)");
  write_member(out, value.large);
  out.raw(R"(,"size":)");
  write_member(out, value.size);
  out.raw(R"(,"ratio":)");
  write_member(out, value.ratio);
  out.raw(R"(,"price":)");
  write_member(out, value.price);
  out.raw(R"(,"name":)");
  write_member(out, value.name);
  out.raw(R"(,"stars":)");
  write_member(out, value.stars);
  out.raw(R"(,"offset":)");
  write_member(out, value.offset);
  out.raw(R"(,"active":)");
  write_member(out, value.active);
  out.raw(R"(,"slug":)");
  write_member(out, value.slug);
  out.raw(R"(,"email":)");
  write_member(out, value.email);
  out.raw(R"(,"uuid":)");
  write_member(out, value.uuid);
  out.raw(R"(,"color":)");
  write_member(out, value.color);
  out.raw(R"(,"digits":)");
  write_member(out, value.digits);
  out.raw(R"(,"version":)");
  write_member(out, value.version);
  out.raw(R"(,"channel":)");
  write_member(out, value.channel);
  if (value.maybe) {
    out.member(R"("maybe":)");
    write_member(out, *value.maybe);
  }
  if (value.owned) {
    out.member(R"("owned":)");
    write_member(out, *value.owned);
  }
  out.member(R"("flags":)");
  write_member(out, value.flags);
  out.raw(R"(,"position":)");
  write_member(out, value.position);
  out.raw(R"(,"tags":)");
  write_member(out, value.tags);
  out.raw(R"(,"ids":)");
  write_member(out, value.ids);
  out.raw(R"(,"lines":)");
  write_member(out, value.lines);
  out.raw(R"(,"by_name":)");
  write_member(out, value.by_name);
  out.raw(R"(,"choice":)");
  write_member(out, value.choice);
  out.raw(R"(,"day":)");
  write_member(out, value.day);
  out.raw(R"(,"at":)");
  write_member(out, value.at);
  out.raw(R"(,"exactly":)");
  write_member(out, value.exactly);
  out.raw(R"(,"anything":)");
  write_member(out, value.anything);
  out.raw("}");
}

void TypeCode<shop::ById>::read(JsonReader& in, shop::ById& out) {
  static constexpr std::string_view kMembers[] = {"id"};
  for (JsonObject object(in, kMembers, 0b1); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.id);
        break;
    }
  }
}

void TypeCode<shop::ById>::read(FieldReader& in, shop::ById& out) {
  if (in.require("id")) read_member(in, out.id);
}

void TypeCode<shop::ById>::write(JsonWriter& out, const shop::ById& value) {
  out.raw(R"({"id":)");
  write_member(out, value.id);
  out.raw("}");
}

void TypeCode<shop::Filter>::read(JsonReader& in, shop::Filter& out) {
  static constexpr std::string_view kMembers[] = {"channel", "page", "since"};
  for (JsonObject object(in, kMembers, 0b0); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.channel);
        break;
      case 1:
        read_member(in, out.page);
        break;
      case 2:
        read_member(in, out.since);
        break;
    }
  }
}

void TypeCode<shop::Filter>::read(FieldReader& in, shop::Filter& out) {
  if (in.find("channel")) read_member(in, out.channel);
  if (in.find("page")) read_member(in, out.page);
  if (in.find("since")) read_member(in, out.since);
}

void TypeCode<shop::Filter>::write(JsonWriter& out, const shop::Filter& value) {
  out.raw("{");
  if (value.channel) {
    out.member(R"("channel":)");
    write_member(out, *value.channel);
  }
  out.member(R"("page":)");
  write_member(out, value.page);
  if (value.since) {
    out.member(R"("since":)");
    write_member(out, *value.since);
  }
  out.raw("}");
}

void TypeCode<shop::Headers>::read(JsonReader& in, shop::Headers& out) {
  static constexpr std::string_view kMembers[] = {"X-Tenant"};
  for (JsonObject object(in, kMembers, 0b1); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.x_tenant);
        break;
    }
  }
}

void TypeCode<shop::Headers>::read(FieldReader& in, shop::Headers& out) {
  if (in.require("X-Tenant")) read_member(in, out.x_tenant);
}

void TypeCode<shop::Headers>::write(JsonWriter& out, const shop::Headers& value) {
  out.raw(R"({"X-Tenant":)");
  write_member(out, value.x_tenant);
  out.raw("}");
}

void TypeCode<shop::Order>::read(JsonReader& in, shop::Order& out) {
  static constexpr std::string_view kMembers[] = {"id", "items", "note"};
  for (JsonObject object(in, kMembers, 0b11); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.id);
        break;
      case 1:
        read_member(in, out.items);
        break;
      case 2:
        read_member(in, out.note);
        break;
    }
  }
}

void TypeCode<shop::Order>::write(JsonWriter& out, const shop::Order& value) {
  out.raw(R"({"id":)");
  write_member(out, value.id);
  out.raw(R"(,"items":)");
  write_member(out, value.items);
  if (value.note) {
    out.member(R"("note":)");
    write_member(out, *value.note);
  }
  out.raw("}");
}

void TypeCode<shop::Conflict>::read(JsonReader& in, shop::Conflict& out) {
  static constexpr std::string_view kMembers[] = {"reason"};
  for (JsonObject object(in, kMembers, 0b1); object.next();) {
    switch (object.member()) {
      case 0:
        read_member(in, out.reason);
        break;
    }
  }
}

void TypeCode<shop::Conflict>::read(FieldReader& in, shop::Conflict& out) {
  if (in.require("reason")) read_member(in, out.reason);
}

void TypeCode<shop::Conflict>::write(JsonWriter& out, const shop::Conflict& value) {
  out.raw(R"({"reason":)");
  write_member(out, value.reason);
  out.raw("}");
}

}  // namespace fw::detail

namespace shop {
namespace {

constexpr std::string_view kItem =
    R"("Item": {"type": "object", "properties": {
         "productId": {"type": "integer", "minimum": 1},
         "quantity": {"type": "integer", "minimum": 1, "maximum": 100, "default": 1}},
       "required": ["productId"]})";
constexpr std::string_view kChannel = R"("Channel": {"type": "string", "enum": ["web", "phone"]})";
constexpr std::string_view kComma = ", ";
constexpr std::string_view kEnd = "}}";

constexpr std::string_view kNewOrder[] = {
    R"({"$ref": "#/$defs/NewOrder", "$defs": {
      "NewOrder": {"type": "object", "properties": {
          "customerId": {"type": "integer", "minimum": 1},
          "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 1, "maxItems": 50},
          "note": {"type": "string", "minLength": 1, "maxLength": 200},
          "channel": {"$ref": "#/$defs/Channel", "default": "web"},
          "payment": {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Transfer"}],
                      "discriminator": {"propertyName": "kind", "mapping": {
                          "card": "#/$defs/Card", "transfer": "#/$defs/Transfer"}}},
          "labels": {"type": "object", "additionalProperties": {"type": "string"}}},
        "required": ["customerId", "items", "payment", "labels"]},
      "Card": {"type": "object", "properties": {
          "kind": {"type": "string", "enum": ["card"]}, "number": {"type": "string"}},
        "required": ["kind", "number"]},
      "Transfer": {"type": "object", "properties": {
          "kind": {"type": "string", "enum": ["transfer"]},
          "iban": {"type": "string", "minLength": 1, "maxLength": 34}},
        "required": ["kind", "iban"]}, )",
    kItem, kComma, kChannel, kEnd};

constexpr std::string_view kSum[] = {
    R"({"$ref": "#/$defs/Sum", "$defs": {
      "Sum": {"type": "object", "properties": {
          "kind": {"type": "string", "enum": ["sum"]},
          "terms": {"type": "array", "items": {
              "oneOf": [{"$ref": "#/$defs/Number"}, {"$ref": "#/$defs/Sum"}],
              "discriminator": {"propertyName": "kind", "mapping": {
                  "number": "#/$defs/Number", "sum": "#/$defs/Sum"}}}}},
        "required": ["kind", "terms"]},
      "Number": {"type": "object", "properties": {
          "kind": {"type": "string", "enum": ["number"]},
          "value": {"type": "number", "default": 0}},
        "required": ["kind"]}}})"};

constexpr std::string_view kTree[] = {
    R"({"$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "object", "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        "other": {"$ref": "#/$defs/Tree"}},
      "required": ["name", "children"]}}})"};

constexpr std::string_view kEverything[] = {
    R"({"$ref": "#/$defs/Everything", "$defs": {
      "Everything": {"type": "object", "properties": {
        "flag": {"type": "boolean"},
        "tiny": {"type": "integer", "minimum": -128, "maximum": 127},
        "byte": {"type": "integer", "minimum": 0, "maximum": 255},
        "small": {"type": "integer", "minimum": -32768, "maximum": 32767},
        "port": {"type": "integer", "minimum": 0, "maximum": 65535},
        "medium": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647},
        "count": {"type": "integer", "minimum": 0, "maximum": 4294967295},
        "large": {"type": "integer"},
        "size": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615},
        "ratio": {"type": "number"},
        "price": {"type": "number"},
        "name": {"type": "string"},
        "stars": {"type": "integer", "minimum": 1, "maximum": 5},
        "offset": {"type": "number", "minimum": -0.5, "maximum": 0.5},
        "active": {"type": "boolean"},
        "slug": {"type": "string", "pattern": "^[a-z]+$"},
        "email": {"type": "string", "format": "email"},
        "uuid": {"type": "string", "format": "uuid"},
        "color": {"type": "string", "enum": ["red", "green"]},
        "digits": {"type": "array", "maxItems": 3,
                   "items": {"type": "integer", "minimum": 0, "maximum": 9}},
        "version": {"type": "string", "enum": ["v1"]},
        "channel": {"$ref": "#/$defs/Channel"},
        "maybe": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647},
        "owned": {"$ref": "#/$defs/Item"},
        "flags": {"type": "array", "items": {"type": "boolean"}},
        "position": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "ids": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true},
        "lines": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "by_name": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Item"}},
        "choice": {"oneOf": [{"type": "integer"}, {"type": "string"}, {"$ref": "#/$defs/Item"}]},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "exactly": {"type": "string", "format": "date-time"},
        "anything": {}},
      "required": ["flag", "tiny", "byte", "small", "port", "medium", "count", "large", "size",
        "ratio", "price", "name", "stars", "offset", "active", "slug", "email", "uuid", "color",
        "digits", "version", "channel", "flags", "position", "tags", "ids", "lines", "by_name",
        "choice", "day", "at", "exactly", "anything"]}, )",
    kItem, kComma, kChannel, kEnd};

constexpr std::string_view kById[] = {
    R"({"$ref": "#/$defs/ById", "$defs": {"ById": {"type": "object",
      "properties": {"id": {"type": "integer", "minimum": 1}}, "required": ["id"]}}})"};

constexpr std::string_view kFilter[] = {
    R"({"$ref": "#/$defs/Filter", "$defs": {"Filter": {"type": "object", "properties": {
        "channel": {"$ref": "#/$defs/Channel"},
        "page": {"type": "integer", "minimum": 0, "maximum": 255, "default": 1},
        "since": {"type": "string", "format": "date"}}}, )",
    kChannel, kEnd};

constexpr std::string_view kHeaders[] = {
    R"({"$ref": "#/$defs/Headers", "$defs": {"Headers": {"type": "object",
      "properties": {"X-Tenant": {"type": "string"}}, "required": ["X-Tenant"]}}})"};

constexpr std::string_view kOrder[] = {
    R"({"$ref": "#/$defs/Order", "$defs": {
      "Order": {"type": "object", "properties": {
          "id": {"type": "integer", "minimum": 1},
          "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
          "note": {"type": "string"}},
        "required": ["id", "items"]}, )",
    kItem, kEnd};

constexpr std::string_view kConflict[] = {
    R"({"$ref": "#/$defs/Conflict", "$defs": {"Conflict": {"type": "object",
      "properties": {"reason": {"type": "string"}}, "required": ["reason"]}}})"};

constexpr std::string_view kItems[] = {
    R"({"type": "array", "items": {"$ref": "#/$defs/Item"}, "$defs": {)", kItem, kEnd};

using fw::detail::nested_type_row;
using fw::detail::type_row;
using fw::detail::TypeRow;

constexpr std::string_view kItemAlone[] = {R"({"$ref": "#/$defs/Item", "$defs": {)", kItem, kEnd};

constinit const TypeRow kRows[] = {
    type_row<Item>("shop::Item", kItemAlone),
    nested_type_row<Channel>("shop::Channel"),
    type_row<NewOrder>("shop::NewOrder", kNewOrder),
    type_row<Sum>("shop::Sum", kSum),
    type_row<Tree>("shop::Tree", kTree),
    type_row<Everything>("shop::Everything", kEverything),
    type_row<ById>("shop::ById", kById),
    type_row<Filter>("shop::Filter", kFilter),
    type_row<Headers>("shop::Headers", kHeaders),
    type_row<Order>("shop::Order", kOrder),
    type_row<Conflict>("shop::Conflict", kConflict),
    type_row<std::vector<Item>>("std::vector<shop::Item>", kItems),
};

}  // namespace

std::vector<const TypeRow*> rows() {
  std::vector<const TypeRow*> all;
  for (const TypeRow& each : kRows) all.push_back(&each);
  return all;
}

const TypeRow& row(const std::type_info& type) {
  const auto found =
      std::ranges::find_if(kRows, [&](const TypeRow& each) { return *each.type == type; });
  if (found == std::end(kRows)) throw std::out_of_range(type.name());
  return *found;
}

}  // namespace shop
