#include <string>

#include "diff/change_catalogue.hpp"

namespace fairway::diff {
namespace {

/// The effect of a change on the set of values that a schema allows.
enum class Effect {
  narrowed,  ///< breaks requests
  widened,   ///< breaks responses
  replaced,  ///< breaks both
  harmless,
};

struct SchemaRow {
  std::string_view suffix;
  Effect effect;
  std::string_view rule;
  std::string_view note;  ///< a sentence for both directions; may be empty
  std::string_view before;
  std::string_view after;
};

using enum Effect;

constexpr SchemaRow kRows[] = {
    {"type-narrowed", narrowed, "a type was removed, or a number became an integer",
     "In paths, queries, headers and cookies, all values are strings; there, changing a string to "
     "a number is a narrowing.",
     R"({"type": ["string", "integer"]})", R"({"type": "string"})"},
    {"type-widened", widened, "a type was added, or an integer became a number",
     "In paths, queries, headers and cookies, all values are strings; there, changing a number to "
     "a string is a widening.",
     R"({"type": "integer"})", R"({"type": "number"})"},
    {"type-changed", replaced, "a type changed", "", R"({"type": "string"})",
     R"({"type": "boolean"})"},
    {"became-nullable", widened, "null became an allowed value",
     "It does not matter whether null is written as a type, as 'nullable' or as an alternative.",
     R"({"type": "string"})", R"({"type": ["string", "null"]})"},
    {"no-longer-nullable", narrowed, "null is no longer an allowed value",
     "It does not matter whether null is written as a type, as 'nullable' or as an alternative.",
     R"({"type": ["string", "null"]})", R"({"type": "string"})"},
    {"enum-added", narrowed, "an enum was added", "", R"({"type": "string"})",
     R"({"type": "string", "enum": ["open", "paid"]})"},
    {"enum-removed", widened, "an enum was removed", "",
     R"({"type": "string", "enum": ["open", "paid"]})", R"({"type": "string"})"},
    {"enum-value-added", widened, "a value was added to an enum",
     "A 'const' counts as an enum with one value.", R"({"enum": ["open", "paid"]})",
     R"({"enum": ["open", "paid", "shipped"]})"},
    {"enum-value-removed", narrowed, "a value was removed from an enum",
     "A 'const' counts as an enum with one value.", R"({"enum": ["open", "paid", "shipped"]})",
     R"({"enum": ["open", "paid"]})"},
    {"const-added", narrowed, "a 'const' was added", "", R"({"type": "integer"})",
     R"({"type": "integer", "const": 0})"},
    {"const-removed", widened, "a 'const' was removed", "", R"({"type": "integer", "const": 0})",
     R"({"type": "integer"})"},
    {"const-changed", replaced, "the value of a 'const' changed", "", R"({"const": 0})",
     R"({"const": 1})"},
    {"range-tightened", narrowed, "a limit on a number was added or tightened", "",
     R"({"type": "integer", "maximum": 100})", R"({"type": "integer", "maximum": 50})"},
    {"range-loosened", widened, "a limit on a number was removed or loosened", "",
     R"({"type": "integer", "minimum": 1})", R"({"type": "integer"})"},
    {"length-tightened", narrowed, "a limit on the length of a string was added or tightened", "",
     R"({"type": "string"})", R"({"type": "string", "maxLength": 80})"},
    {"length-loosened", widened, "a limit on the length of a string was removed or loosened", "",
     R"({"type": "string", "maxLength": 80})", R"({"type": "string", "maxLength": 200})"},
    {"item-count-tightened", narrowed, "a limit on the number of items was added or tightened", "",
     R"({"type": "array"})", R"({"type": "array", "minItems": 1})"},
    {"item-count-loosened", widened, "a limit on the number of items was removed or loosened", "",
     R"({"type": "array", "maxItems": 10})", R"({"type": "array", "maxItems": 20})"},
    {"member-count-tightened", narrowed, "a limit on the number of members was added or tightened",
     "", R"({"type": "object"})", R"({"type": "object", "maxProperties": 5})"},
    {"member-count-loosened", widened, "a limit on the number of members was removed or loosened",
     "", R"({"type": "object", "minProperties": 2})", R"({"type": "object", "minProperties": 1})"},
    {"format-narrowed", narrowed, "a format was added or became more restrictive", "",
     R"({"type": "string"})", R"({"type": "string", "format": "email"})"},
    {"format-widened", widened, "a format was removed or became less restrictive", "",
     R"({"type": "integer", "format": "int32"})", R"({"type": "integer", "format": "int64"})"},
    {"format-changed", replaced, "a format changed", "", R"({"type": "string", "format": "date"})",
     R"({"type": "string", "format": "date-time"})"},
    {"pattern-added", narrowed, "a pattern was added", "", R"({"type": "string"})",
     R"({"type": "string", "pattern": "^[a-z]+$"})"},
    {"pattern-removed", widened, "a pattern was removed", "",
     R"({"type": "string", "pattern": "^[a-z]+$"})", R"({"type": "string"})"},
    {"pattern-changed", replaced, "a pattern changed",
     "Regular expressions are not compared further.",
     R"({"type": "string", "pattern": "^[a-z]+$"})",
     R"({"type": "string", "pattern": "^[a-z0-9]+$"})"},
    {"constraint-added", narrowed, "another constraint was added or tightened",
     "Examples are 'multipleOf', 'uniqueItems', 'contains', 'not', 'if', 'patternProperties', and "
     "a change from 'anyOf' to 'oneOf' if alternatives may overlap.",
     R"({"type": "array"})", R"({"type": "array", "uniqueItems": true})"},
    {"constraint-removed", widened, "another constraint was removed or loosened",
     "Examples are 'multipleOf', 'uniqueItems', 'contains', 'not', 'if', 'patternProperties', and "
     "a change from 'oneOf' to 'anyOf' if alternatives may overlap.",
     R"({"type": "integer", "multipleOf": 10})", R"({"type": "integer", "multipleOf": 5})"},
    {"constraint-changed", replaced, "another constraint changed",
     "Examples are 'multipleOf', 'contains', 'not', 'if', 'patternProperties', and alternatives of "
     "'oneOf' that may overlap: a value that matches several of them is invalid.",
     R"({"not": {"type": "string"}})", R"({"not": {"type": "integer"}})"},
    {"member-became-required", narrowed, "an optional member became required", "",
     R"({"type": "object", "properties": {"note": {"type": "string"}}})",
     R"({"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]})"},
    {"member-became-optional", widened, "a required member became optional", "",
     R"({"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]})",
     R"({"type": "object", "properties": {"note": {"type": "string"}}})"},
    {"additional-members-forbidden", narrowed, "additional members became forbidden", "",
     R"({"type": "object"})", R"({"type": "object", "additionalProperties": false})"},
    {"additional-members-allowed", harmless, "additional members became allowed",
     "Clients ignore members that they do not know.",
     R"({"type": "object", "additionalProperties": false})", R"({"type": "object"})"},
    {"alternative-added", widened, "an alternative was added to 'anyOf' or 'oneOf'",
     "Alternatives are matched by component, title, discriminator value or content, not by their "
     "order.",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}]})",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]})"},
    {"alternative-removed", narrowed, "an alternative was removed from 'anyOf' or 'oneOf'",
     "Alternatives are matched by component, title, discriminator value or content, not by their "
     "order.",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]})",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}]})"},
    {"discriminator-changed", replaced,
     "the discriminator of alternatives, or one of its values, changed", "",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}], "discriminator": {"propertyName": "kind"}})",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}], "discriminator": {"propertyName": "type"}})"},
};

constexpr std::string_view kDefaultAdded =
    "The meaning of an absent value was not specified before.";

Level level_of(Effect effect, bool is_request) {
  const bool breaks = effect == replaced || effect == (is_request ? narrowed : widened);
  return breaks ? Level::breaking : Level::non_breaking;
}

std::string_view why(Effect effect, bool is_request) {
  switch (effect) {
    case narrowed:
      return is_request ? "Values that clients send today are rejected."
                        : "Every value that is now sent was allowed before.";
    case widened:
      return is_request ? "Every value that clients send today is still accepted."
                        : "Clients can receive values that were not allowed before.";
    case replaced:
      return is_request ? "Values that clients send today are rejected."
                        : "Clients can receive values that were not allowed before.";
    case harmless:
      break;
  }
  return {};
}

std::string joined(std::string_view first, std::string_view second) {
  std::string text(first);
  if (!text.empty() && !second.empty()) text += ' ';
  return text.append(second);
}

ChangeKind directed(const SchemaRow& row, bool is_request) {
  return {.id = std::string(is_request ? "request-" : "response-").append(row.suffix),
          .level = level_of(row.effect, is_request),
          .rule = std::string(is_request ? "in a request, " : "in a response, ").append(row.rule),
          .explanation = joined(why(row.effect, is_request), row.note),
          .node = is_request ? ExampleSlot::request_schema : ExampleSlot::response_schema,
          .before = row.before,
          .after = row.after};
}

constexpr std::string_view kNote =
    R"({"type": "object", "properties": {"note": {"type": "string"}}})";
constexpr std::string_view kNoteRequired =
    R"({"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]})";
constexpr std::string_view kOldNote =
    R"({"type": "object", "properties": {"note": {"type": "string", "deprecated": true}}})";
constexpr std::string_view kEmpty = R"({"type": "object"})";
constexpr std::string_view kPage = R"({"type": "integer", "default": 10})";
constexpr std::string_view kLongPage = R"({"type": "integer", "default": 20})";
constexpr std::string_view kNoPage = R"({"type": "integer"})";

/// Rows whose levels do not follow from the set of values.
std::vector<ChangeKind> members_and_defaults() {
  using enum Level;
  constexpr auto kRequest = ExampleSlot::request_schema;
  constexpr auto kResponse = ExampleSlot::response_schema;
  return {
      {"request-required-member-added", breaking, "in a request, a required member was added",
       "Clients do not send it, so their requests are rejected.", kRequest, kEmpty, kNoteRequired},
      {"request-optional-member-added", non_breaking, "in a request, an optional member was added",
       "Clients can omit it.", kRequest, kEmpty, kNote},
      {"request-member-removed", breaking, "in a request, a member was removed or became read-only",
       "The values that clients send are rejected or ignored.", kRequest, kNote, kEmpty},
      {"request-deprecated-member-removed", non_breaking,
       "in a request, a deprecated member was removed",
       "An earlier document announced the removal by deprecating it. If additional members are "
       "forbidden, the change is a 'request-member-removed'.",
       kRequest, kOldNote, kEmpty},
      {"response-member-added", non_breaking, "in a response, a member was added",
       "Clients ignore members that they do not know.", kResponse, kEmpty, kNote},
      {"response-required-member-removed", breaking,
       "in a response, a required member was removed or became write-only", "Clients rely on it.",
       kResponse, kNoteRequired, kEmpty},
      {"response-optional-member-removed", breaking,
       "in a response, an optional member was removed or became write-only",
       "Clients can handle its absence, but lose the information. If this is intended, approve the "
       "change.",
       kResponse, kNote, kEmpty},
      {"response-deprecated-member-removed", non_breaking,
       "in a response, a deprecated member was removed",
       "An earlier document announced the removal by deprecating it.", kResponse, kOldNote, kEmpty},
      {"request-default-added", non_breaking, "in a request, a default was added",
       std::string(kDefaultAdded), kRequest, kNoPage, kPage},
      {"request-default-changed", breaking, "in a request, a default changed",
       "Requests without the value have another meaning.", kRequest, kPage, kLongPage},
      {"request-default-removed", breaking, "in a request, a default was removed",
       "Requests without the value may have another meaning.", kRequest, kPage, kNoPage},
      {"response-default-added", non_breaking, "in a response, a default was added",
       std::string(kDefaultAdded), kResponse, kNoPage, kPage},
      {"response-default-changed", non_breaking, "in a response, a default changed",
       "Clients receive the values in the response, not the default.", kResponse, kPage, kLongPage},
      {"response-default-removed", non_breaking, "in a response, a default was removed",
       "Clients receive the values in the response, not the default.", kResponse, kPage, kNoPage},
      {"member-deprecated", non_breaking, "a member became deprecated",
       "It works as before; clients should stop using it.", kResponse, kNote, kOldNote},
      {"member-no-longer-deprecated", non_breaking, "a member is no longer deprecated",
       "It works as before.", kResponse, kOldNote, kNote},
  };
}

}  // namespace

std::vector<ChangeKind> schema_changes() {
  std::vector<ChangeKind> rows;
  for (const bool is_request : {true, false}) {
    for (const SchemaRow& row : kRows) rows.push_back(directed(row, is_request));
  }
  for (ChangeKind& row : members_and_defaults()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace fairway::diff
