// Documentation of a route that would not be valid in the OpenAPI document.
#include <doctest/doctest.h>

#include "support/builders.hpp"

namespace openapi_invalid_test {

using namespace fairway;
using namespace fairway::testing;

TEST_CASE("[openapi-invalid] the caret points at the invalid part of the JSON") {
  const auto found = [](model::Value type) {
    const auto content =
        entries({{"text/plain", entries({{"schema", entries({{"type", std::move(type)}})}})}});
    const auto docs = record("Docs", {{"request_body", entries({{"content", content}})}});
    return summary(
        checked({route_file("routes/a.cpp", {route("POST", "/", options({{"docs", docs}}))})})
            .diagnostics);
  };
  CHECK(found(text_at(7, 21, "strin")).starts_with("src/routes/a.cpp:7:21 openapi-invalid: "));
  CHECK(found(list({text("null"), text_at(8, 9, "strin")})).starts_with("src/routes/a.cpp:"));
}

TEST_CASE("[openapi-invalid] docs must be valid in the OpenAPI document") {
  const auto docs = [](Named members) {
    return option_errors(options({{"docs", record("Docs", std::move(members))}}));
  };
  CHECK(docs({{"extensions", entries({{"internal", flag(true)}})}}) ==
        "openapi-invalid: the extension 'internal' does not begin with 'x-'\n");
  CHECK(docs({{"extensions", entries({{"x-fw-wildcard", flag(true)}})}}) ==
        "openapi-invalid: the extension 'x-fw-wildcard' begins with 'x-fw-', which is reserved\n");
  CHECK(docs({{"extensions", entries({{"x-fwd", flag(true)}})}}).empty());
  CHECK(docs({{"extensions", text("x")}}) ==
        "openapi-invalid: 'docs.extensions' is not an object\n");
  CHECK(docs({{"extensions", list({})}}).empty());
  CHECK(docs({{"request_body", entries({{"description", text("d")}})}}) ==
        "openapi-invalid: 'docs.request_body' has no 'content'\n");
  const auto body = [&](Named members) {
    Named content = {{"content", entries({{"text/plain", entries(std::move(members))}})}};
    return docs({{"request_body", entries(content)}});
  };
  const auto type = [](model::Value value) { return entries({{"type", std::move(value)}}); };
  CHECK(body({{"schema", type(text("string"))}, {"example", integer(1)}, {"x-a", flag(true)}}) ==
        "");
  CHECK(docs({{"request_body", entries({{"content", entries({{"text/plain", text("x")}})}})}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain' must be an object\n");
  CHECK(docs({{"request_body",
               entries({{"content", entries({{"plain", entries({{"x-a", integer(1)}})}})}})}}) ==
        "openapi-invalid: 'docs.request_body': '/content/plain' must have a media type as its "
        "name\n");
  CHECK(docs({{"request_body",
               entries({{"required", text("yes")},
                        {"content", entries({{"a/b", call("Json::object", {})}})}})}}) ==
        "openapi-invalid: 'docs.request_body': '/required' must be true or false\n");
  CHECK(body({{"schema", type(integer(1))}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/type' must be the name "
        "of a type, or a list of type names\n");
  CHECK(
      body({{"schema", entries({{"required", list({integer(1)})}})}}) ==
      "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/required' must be a list "
      "of strings\n");
  CHECK(
      body({{"examples", text("x")}}) ==
      "openapi-invalid: 'docs.request_body': '/content/text~1plain/examples' must be an object of "
      "objects\n");
  CHECK(body({{"shema", type(text("string"))}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/shema' is not a member of a "
        "media type in OpenAPI\n");
  const auto header = [&](model::Value schema) {
    return docs(
        {{"responses",
          entries({{"200",
                    record("ResponseDocs",
                           {{"headers",
                             entries({{"X-A", record("ResponseHeader",
                                                     {{"schema", std::move(schema)}})}})}})}})}});
  };
  CHECK(header(type(text("integer"))) == "");
  const auto reference = [](const char* target) { return entries({{"$ref", text(target)}}); };
  CHECK(header(reference("#/components/schemas/Error")) == "");
  CHECK(header(reference("#/components/schemas/Absent")) ==
        "openapi-invalid: the schema of the header 'X-A': '/$ref' refers to "
        "'#/components/schemas/Absent', where the document has no schema\n");
  CHECK(header(reference("#")) ==
        "openapi-invalid: the schema of the header 'X-A' is not a JSON Schema: '/$ref' refers to "
        "'#', which is not a part of the document\n");
  CHECK(body({{"schema", reference("#/components/schemas/Error")}}) == "");
  CHECK(body({{"schema", entries({{"items", reference("#/components/schemas/Absent")}})}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/items/$ref' refers to "
        "'#/components/schemas/Absent', where the document has no schema\n");
  CHECK(body({{"schema", reference("other.yaml#/x")}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/$ref' refers to "
        "'other.yaml#/x', which is not a part of the document\n");
  CHECK(body({{"schema", entries({{"$id", text("a")}})}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/$id' is not possible "
        "in a part of a document\n");
  CHECK(header(type(text("int"))) ==
        "openapi-invalid: the schema of the header 'X-A' is not a JSON Schema: '/type' names the "
        "unknown type 'int'\n");
  CHECK(docs({{"access", integer(5)}}) ==
        "openapi-invalid: 'docs.access' is neither a string nor an object\n");
  CHECK(docs({{"responses",
               entries({{"200", record("ResponseDocs", {{"content_type", text("csv")}})}})}}) ==
        "openapi-invalid: 'csv' is not a media type\n");
  CHECK(docs({{"security", text("my scheme")}}) ==
        "openapi-invalid: the security scheme 'my scheme' cannot have this name\n");
  CHECK(
      option_errors(options({{"auth", record("AuthRequirement", {{"security", text("a/b")}})}})) ==
      "openapi-invalid: the security scheme 'a/b' cannot have this name\n");
}

}  // namespace openapi_invalid_test
