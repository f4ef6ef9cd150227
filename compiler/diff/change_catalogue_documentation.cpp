#include "diff/change_catalogue.hpp"

namespace fairway::diff {

std::vector<ChangeKind> documentation_changes() {
  using enum Level;
  constexpr auto kDocument = ExampleSlot::document;
  constexpr auto kOperation = ExampleSlot::operation;
  constexpr auto kSchema = ExampleSlot::request_schema;
  return {
      {"openapi-version-changed", documentation, "the OpenAPI version of the document changed",
       "Both versions can describe the same API.", kDocument, "{}", R"({"openapi": "3.0.3"})"},
      {"info-changed", documentation,
       "the title, version, contact, licence or terms of the API changed",
       "They have no effect on requests and responses.", kDocument, "{}",
       R"({"info": {"version": "1.1.0"}})"},
      {"summary-changed", documentation, "a summary changed",
       "It has no effect on requests and responses.", kOperation,
       R"({"summary": "Create an order"})", R"({"summary": "Place an order"})"},
      {"description-changed", documentation, "a description changed",
       "It has no effect on requests and responses. Review it nevertheless: it may state a rule "
       "that a schema cannot express.",
       kOperation, "{}", R"({"description": "Responds within a second."})"},
      {"title-changed", documentation, "the title of a schema changed",
       "It has no effect on requests and responses.", kSchema, R"({"title": "Item"})",
       R"({"title": "Line"})"},
      {"tags-changed", documentation, "the tags of an operation changed",
       "Tags group operations in the documentation. Their order does not matter.", kOperation,
       R"({"tags": ["orders"]})", R"({"tags": ["orders", "shop"]})"},
      {"examples-changed", documentation, "an example changed",
       "It has no effect on requests and responses.", kSchema,
       R"({"type": "integer", "examples": [1]})", R"({"type": "integer", "examples": [1, 2]})"},
      {"external-docs-changed", documentation, "a link to external documentation changed",
       "It has no effect on requests and responses.", kOperation, "{}",
       R"({"externalDocs": {"url": "https://docs.example/orders"}})"},
      {"docs-access-changed", documentation, "access to the documentation of an operation changed",
       "'x-fw-docs-access' limits the documentation, not the operation.", kOperation, "{}",
       R"({"x-fw-docs-access": {"roles": ["partner"]}})"},
      {"extension-changed", documentation, "an extension ('x-...') changed",
       "Its meaning depends on the tools that use it.", kOperation, R"({"x-owner": "sales"})",
       R"({"x-owner": "logistics"})"},
  };
}

}  // namespace fairway::diff
