#include <string>

#include "diff/catalogue.hpp"

namespace fairway::diff {
namespace {

/// What a change does to the set of values that a schema allows.
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
    {"type-narrowed", narrowed, "a type was taken away, or an integer became necessary",
     "In a path, query, header or cookie everything is a string: there, a number in place of a "
     "string is "
     "narrower.",
     R"({"type": ["string", "integer"]})", R"({"type": "string"})"},
    {"type-widened", widened, "a type was added, or an integer became a number",
     "In a path, query, header or cookie everything is a string: there, a string in place of a "
     "number is "
     "wider.",
     R"({"type": "integer"})", R"({"type": "number"})"},
    {"type-changed", replaced, "a type became another one", "", R"({"type": "string"})",
     R"({"type": "boolean"})"},
    {"became-nullable", widened, "null was added to the values",
     "It does not matter whether null is written as a type, as 'nullable' or as an alternative.",
     R"({"type": "string"})", R"({"type": ["string", "null"]})"},
    {"no-longer-nullable", narrowed, "null was removed from the values",
     "It does not matter whether null is written as a type, as 'nullable' or as an alternative.",
     R"({"type": ["string", "null"]})", R"({"type": "string"})"},
    {"enum-added", narrowed, "any value became one of a list", "", R"({"type": "string"})",
     R"({"type": "string", "enum": ["open", "paid"]})"},
    {"enum-removed", widened, "one of a list became any value", "",
     R"({"type": "string", "enum": ["open", "paid"]})", R"({"type": "string"})"},
    {"enum-value-added", widened, "a value was added to a list of values",
     "A single 'const' counts as a list of one value.", R"({"enum": ["open", "paid"]})",
     R"({"enum": ["open", "paid", "shipped"]})"},
    {"enum-value-removed", narrowed, "a value was removed from a list of values",
     "A single 'const' counts as a list of one value.", R"({"enum": ["open", "paid", "shipped"]})",
     R"({"enum": ["open", "paid"]})"},
    {"const-added", narrowed, "any value became one alone", "", R"({"type": "integer"})",
     R"({"type": "integer", "const": 0})"},
    {"const-removed", widened, "one value alone became any", "",
     R"({"type": "integer", "const": 0})", R"({"type": "integer"})"},
    {"const-changed", replaced, "the only value became another one", "", R"({"const": 0})",
     R"({"const": 1})"},
    {"range-tightened", narrowed, "a bound of a number was added or tightened", "",
     R"({"type": "integer", "maximum": 100})", R"({"type": "integer", "maximum": 50})"},
    {"range-loosened", widened, "a bound of a number was removed or loosened", "",
     R"({"type": "integer", "minimum": 1})", R"({"type": "integer"})"},
    {"length-tightened", narrowed, "a bound of a string's length was added or tightened", "",
     R"({"type": "string"})", R"({"type": "string", "maxLength": 80})"},
    {"length-loosened", widened, "a bound of a string's length was removed or loosened", "",
     R"({"type": "string", "maxLength": 80})", R"({"type": "string", "maxLength": 200})"},
    {"item-count-tightened", narrowed, "a bound of the number of items was added or tightened", "",
     R"({"type": "array"})", R"({"type": "array", "minItems": 1})"},
    {"item-count-loosened", widened, "a bound of the number of items was removed or loosened", "",
     R"({"type": "array", "maxItems": 10})", R"({"type": "array", "maxItems": 20})"},
    {"member-count-tightened", narrowed, "a bound of the number of members was added or tightened",
     "", R"({"type": "object"})", R"({"type": "object", "maxProperties": 5})"},
    {"member-count-loosened", widened, "a bound of the number of members was removed or loosened",
     "", R"({"type": "object", "minProperties": 2})", R"({"type": "object", "minProperties": 1})"},
    {"format-narrowed", narrowed, "a format was added, or became one that includes less", "",
     R"({"type": "string"})", R"({"type": "string", "format": "email"})"},
    {"format-widened", widened, "a format was removed, or became one that includes more", "",
     R"({"type": "integer", "format": "int32"})", R"({"type": "integer", "format": "int64"})"},
    {"format-changed", replaced, "a format became another one", "",
     R"({"type": "string", "format": "date"})", R"({"type": "string", "format": "date-time"})"},
    {"pattern-added", narrowed, "a pattern was added", "", R"({"type": "string"})",
     R"({"type": "string", "pattern": "^[a-z]+$"})"},
    {"pattern-removed", widened, "a pattern was removed", "",
     R"({"type": "string", "pattern": "^[a-z]+$"})", R"({"type": "string"})"},
    {"pattern-changed", replaced, "a pattern became another one",
     "Which of two regular expressions matches more is not looked into.",
     R"({"type": "string", "pattern": "^[a-z]+$"})",
     R"({"type": "string", "pattern": "^[a-z0-9]+$"})"},
    {"constraint-added", narrowed,
     "another keyword that restricts values was added, or restricts more",
     "Such as 'multipleOf', 'uniqueItems', 'contains', 'not', 'if' or 'patternProperties', and "
     "'anyOf' that became 'oneOf' where alternatives may overlap.",
     R"({"type": "array"})", R"({"type": "array", "uniqueItems": true})"},
    {"constraint-removed", widened,
     "another keyword that restricts values was removed, or restricts less",
     "Such as 'multipleOf', 'uniqueItems', 'contains', 'not', 'if' or 'patternProperties', and "
     "'oneOf' that became 'anyOf' where alternatives may overlap.",
     R"({"type": "integer", "multipleOf": 10})", R"({"type": "integer", "multipleOf": 5})"},
    {"constraint-changed", replaced, "another keyword that restricts values has another value",
     "Such as 'multipleOf', 'contains', 'not', 'if' or 'patternProperties', and alternatives of "
     "'oneOf' that may overlap: a value that several of them accept is invalid.",
     R"({"not": {"type": "string"}})", R"({"not": {"type": "integer"}})"},
    {"member-became-required", narrowed, "an optional member became required", "",
     R"({"type": "object", "properties": {"note": {"type": "string"}}})",
     R"({"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]})"},
    {"member-became-optional", widened, "a required member became optional", "",
     R"({"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]})",
     R"({"type": "object", "properties": {"note": {"type": "string"}}})"},
    {"additional-members-forbidden", narrowed, "members that are not described became forbidden",
     "", R"({"type": "object"})", R"({"type": "object", "additionalProperties": false})"},
    {"additional-members-allowed", harmless, "members that are not described became allowed",
     "Clients ignore members that they do not know.",
     R"({"type": "object", "additionalProperties": false})", R"({"type": "object"})"},
    {"alternative-added", widened, "an alternative was added to 'anyOf' or 'oneOf'",
     "Alternatives are matched by their component, title, discriminating member or content, not by "
     "their order.",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}]})",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]})"},
    {"alternative-removed", narrowed, "an alternative was removed from 'anyOf' or 'oneOf'",
     "Alternatives are matched by their component, title, discriminating member or content, not by "
     "their order.",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]})",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}]})"},
    {"discriminator-changed", replaced,
     "the member that distinguishes alternatives, or one of its values, has changed", "",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}], "discriminator": {"propertyName": "kind"}})",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}], "discriminator": {"propertyName": "type"}})"},
};

constexpr std::string_view kDefaultAdded = "What the absence of a value means was not said before.";

Level level_of(Effect effect, bool is_request) {
  const bool breaks = effect == replaced || effect == (is_request ? narrowed : widened);
  return breaks ? Level::breaking : Level::non_breaking;
}

std::string_view why(Effect effect, bool is_request) {
  switch (effect) {
    case narrowed:
      return is_request ? "Values that clients send today are rejected."
                        : "Every value that is sent now was to be expected before.";
    case widened:
      return is_request ? "Every value that clients send today is still accepted."
                        : "Clients receive values that they were not to expect.";
    case replaced:
      return is_request ? "Values that clients send today are rejected."
                        : "Clients receive values that they were not to expect.";
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
       "Clients do not send it, and are rejected.", kRequest, kEmpty, kNoteRequired},
      {"request-optional-member-added", non_breaking, "in a request, an optional member was added",
       "Clients need not send it.", kRequest, kEmpty, kNote},
      {"request-member-removed", breaking, "in a request, a member was removed or became read-only",
       "What clients send in it is rejected or ignored.", kRequest, kNote, kEmpty},
      {"request-deprecated-member-removed", non_breaking,
       "in a request, a deprecated member was removed",
       "Clients were warned. Where members that are not described are forbidden, it is a "
       "'request-member-removed'.",
       kRequest, kOldNote, kEmpty},
      {"response-member-added", non_breaking, "in a response, a member was added",
       "Clients ignore members that they do not know.", kResponse, kEmpty, kNote},
      {"response-required-member-removed", breaking,
       "in a response, a required member was removed or became write-only", "Clients rely on it.",
       kResponse, kNoteRequired, kEmpty},
      {"response-optional-member-removed", breaking,
       "in a response, an optional member was removed or became write-only",
       "Clients go on without it, but what they did with it is lost: approve the change where that "
       "is meant.",
       kResponse, kNote, kEmpty},
      {"response-deprecated-member-removed", non_breaking,
       "in a response, a deprecated member was removed", "Clients were warned.", kResponse,
       kOldNote, kEmpty},
      {"request-default-added", non_breaking, "in a request, a default was added",
       std::string(kDefaultAdded), kRequest, kNoPage, kPage},
      {"request-default-changed", breaking, "in a request, a default became another one",
       "Requests without the value mean something else.", kRequest, kPage, kLongPage},
      {"request-default-removed", breaking, "in a request, a default was removed",
       "Requests without the value may mean something else.", kRequest, kPage, kNoPage},
      {"response-default-added", non_breaking, "in a response, a default was added",
       std::string(kDefaultAdded), kResponse, kNoPage, kPage},
      {"response-default-changed", non_breaking, "in a response, a default became another one",
       "Clients read the values that are sent.", kResponse, kPage, kLongPage},
      {"response-default-removed", non_breaking, "in a response, a default was removed",
       "Clients read the values that are sent.", kResponse, kPage, kNoPage},
      {"member-deprecated", non_breaking, "a member became deprecated",
       "It works as before; clients should stop using it.", kResponse, kNote, kOldNote},
      {"member-no-longer-deprecated", non_breaking, "a member was deprecated, and is no longer",
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
