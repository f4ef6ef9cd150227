#include "app/contract.hpp"

#include <doctest/doctest.h>

TEST_CASE("contract: spelling and order of what generated code depends on") {
  const fw::RouteRecord record{
      .method = "POST",
      .path = "/:id",
      .options = {.validate = {.query = {{"q", "string?"}},
                               .body = {{"z", "string"},
                                        {"address", {{"city", "string"}, {"zip", "string?"}}},
                                        {"tags", fw::array_of({{"key", "string"}})},
                                        {"billing", fw::optional({{"city", "string"}})},
                                        {"notes", fw::optional(fw::array_of({{"a", "any"}}))},
                                        {"mail", fw::schema_adapter::compile_field("email")
                                                     .description("d")},
                                        {"other", fw::schema_adapter::compile_field("integer?")}}},
                  .middlewares = {"audit", {"role", {{"required", "user"}}}},
                  .responses = {{201, {{"id", "uuid"}}},
                                {"4xx", fw::array_of({{"e", "string"}})},
                                {"5xx", "any"},
                                {"default", fw::json_schema("{}")}},
                  .docs = {.summary = "not part of it", .operation_id = "createIt"}},
      .handler = {}};
  CHECK(fw::detail::contract_of(record).dump() ==
        R"({"method":"POST","path":"/:id","validate":{"query":{"q":"string?"},)"
        R"("body":{"z":"string","address":{"city":"string","zip":"string?"},)"
        R"("tags":[{"key":"string"}],"billing":{"$optional":{"city":"string"}},)"
        R"("notes":{"$optional":[{"a":"any"}]},"mail":{"$field":"email","description":"d"},)"
        R"("other":{"$field":"integer?","description":""}}},)"
        R"("responses":{"201":{"id":"uuid"},"4xx":[{"e":"string"}],"5xx":"any",)"
        R"("default":{"$jsonSchema":"{}"}},)"
        R"("middlewares":["audit",{"name":"role","options":{"required":"user"}}],)"
        R"("operationId":"createIt"})");
  CHECK(fw::detail::contract_of({.method = "GET", .path = "/", .options = {}, .handler = {}})
            .dump() == R"({"method":"GET","path":"/"})");
}
