#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>

#include "app/declaration_json.hpp"

namespace contract_test {

using namespace std::chrono_literals;

namespace {

std::string declaration_of(fw::RouteOptions options) {
  auto declaration = fw::detail::declaration_of(
      {.method = "GET", .path = "/", .options = std::move(options), .handler = {}});
  declaration.erase("method");
  declaration.erase("path");
  return declaration.dump();
}

}  // namespace

TEST_CASE("declaration: notation and order of schemas, middlewares and operation id") {
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
                  .docs = {.summary = "Create it", .operation_id = "createIt"}},
      .handler = {}};
  CHECK(fw::detail::declaration_of(record).dump() ==
        R"({"method":"POST","path":"/:id","validate":{"query":{"q":"string?"},)"
        R"("body":{"z":"string","address":{"city":"string","zip":"string?"},)"
        R"("tags":[{"key":"string"}],"billing":{"$optional":{"city":"string"}},)"
        R"("notes":{"$optional":[{"a":"any"}]},"mail":{"$field":"email","description":"d"},)"
        R"("other":{"$field":"integer?","description":""}}},)"
        R"("middlewares":["audit",{"name":"role","options":{"required":"user"}}],)"
        R"("responses":{"201":{"id":"uuid"},"4xx":[{"e":"string"}],"5xx":"any",)"
        R"("default":{"$jsonSchema":"{}"}},)"
        R"("docs":{"summary":"Create it","operationId":"createIt"}})");
  CHECK(fw::detail::declaration_of({.method = "GET", .path = "/", .options = {}, .handler = {}})
            .dump() == R"({"method":"GET","path":"/"})");
}

TEST_CASE("declaration: contains every option that changes the behaviour of a route") {
  CHECK(declaration_of({.auth = true}) == R"({"auth":{}})");
  CHECK(declaration_of({.auth = false}) == R"({"auth":false})");
  CHECK(declaration_of(
            {.auth =
                 fw::AuthRequirement{.required = false,
                                     .roles = {"a", "b"},
                                     .permissions = {"x", {"y", "d1"}, {"z", {{"b", 1}, {"a", 2}}}},
                                     .mode = "all",
                                     .check = [](fw::Request&, fw::AuthContext&) { return true; },
                                     .security = "oauth"}}) ==
        R"({"auth":{"required":false,"roles":["a","b"],)"
        R"("permissions":["x",{"action":"y","resource":"d1"},)"
        R"({"action":"z","resource":{"a":2,"b":1}}],)"
        R"("mode":"all","check":{"$function":true},"security":[{"oauth":[]}]}})");
  CHECK(declaration_of({.cache = 30s}) == R"({"cache":{"ttl":30000}})");
  CHECK(declaration_of({.cache = 0}) == R"({"cache":false})");
  CHECK(declaration_of({.cache = fw::RouteCacheOptions{.key = "k",
                                                       .stale_while_revalidate = 5s,
                                                       .cache_control = false}}) ==
        R"({"cache":{"key":"k","staleWhileRevalidate":5000,"cacheControl":false}})");
  CHECK(declaration_of({.cache = fw::RouteCacheOptions{.query = {"page", "sort"}}}) ==
        R"({"cache":{"query":["page","sort"]}})");
  CHECK(declaration_of({.cache = fw::RouteCacheOptions{.query = {}}}) ==
        R"({"cache":{"query":[]}})");
  CHECK(declaration_of({.cache = fw::RouteCacheOptions{.query = std::nullopt}}) ==
        R"({"cache":{}})");
  CHECK(declaration_of({.multipart = {.enabled = false,
                                      .files = {{"a", "A"}, {"b", {.required = true}}},
                                      .max_file_size = 1024}}) ==
        R"({"multipart":{"enabled":false,"files":{"a":{"description":"A"},"b":{"required":true}},)"
        R"("maxFileSize":"1024"}})");
  CHECK(declaration_of({.session = fw::SessionOptions{.rolling = false}}) ==
        R"({"session":{"rolling":false}})");
  CHECK(declaration_of({.body_parser = {}}) == R"({"bodyParser":{}})");
  CHECK(declaration_of({.csrf = false, .security_headers = false, .compression = true}) ==
        R"({"csrf":false,"securityHeaders":false,"compression":true})");
  CHECK(declaration_of({.override_ = {.rate_limit = fw::RateLimitOptions{.max = 5},
                                      .timeout = 2s,
                                      .max_body_size = "1mb",
                                      .cors = {.origins = {"https://a.example"}}}}) ==
        R"({"override":{"rateLimit":{"max":5},"timeout":2000,"maxBodySize":"1mb",)"
        R"("cors":{"origins":["https://a.example"]}}})");
  CHECK(declaration_of({.timeout = false}) == R"({"timeout":false})");
  CHECK(declaration_of({.frontend = {.page = "a", .revalidate = 60}}) ==
        R"({"frontend":{"page":"a","revalidate":60}})");
}

}  // namespace contract_test
