#include "diff/catalogue.hpp"

namespace fairway::diff {

std::vector<ChangeKind> documentation_changes() {
  using enum Level;
  constexpr auto kDocument = ExampleSlot::document;
  constexpr auto kOperation = ExampleSlot::operation;
  constexpr auto kSchema = ExampleSlot::request_schema;
  return {
      {"openapi-version-changed", documentation, "the document is of another OpenAPI version",
       "Both versions can describe the same API.", kDocument, "{}", R"({"openapi": "3.0.3"})"},
      {"info-changed", documentation,
       "the title, version, contact, licence or terms of the API have changed",
       "They are for people.", kDocument, "{}", R"({"info": {"version": "1.1.0"}})"},
      {"summary-changed", documentation, "a summary has changed", "It is for people.", kOperation,
       R"({"summary": "Create an order"})", R"({"summary": "Place an order"})"},
      {"description-changed", documentation, "a description has changed",
       "It is for people. Read it all the same: it may state a rule that no schema can.",
       kOperation, "{}", R"({"description": "Responds within a second."})"},
      {"title-changed", documentation, "the title of a schema has changed", "It is for people.",
       kSchema, R"({"title": "Item"})", R"({"title": "Line"})"},
      {"tags-changed", documentation, "the tags of an operation have changed",
       "They group operations for people. Their order does not matter.", kOperation,
       R"({"tags": ["orders"]})", R"({"tags": ["orders", "shop"]})"},
      {"examples-changed", documentation, "an example has changed", "It is for people.", kSchema,
       R"({"type": "integer", "examples": [1]})", R"({"type": "integer", "examples": [1, 2]})"},
      {"external-docs-changed", documentation, "a link to other documentation has changed",
       "It is for people.", kOperation, "{}",
       R"({"externalDocs": {"url": "https://docs.example/orders"}})"},
      {"docs-access-changed", documentation,
       "who may read an operation's documentation has changed",
       "'x-fw-docs-access' limits the documentation, not the operation.", kOperation, "{}",
       R"({"x-fw-docs-access": {"roles": ["partner"]}})"},
      {"extension-changed", documentation, "an extension ('x-...') has changed",
       "What it means is for the tools that know it.", kOperation, R"({"x-owner": "sales"})",
       R"({"x-owner": "logistics"})"},
  };
}

}  // namespace fairway::diff
