// What the options of a route become.
#include <doctest/doctest.h>

#include "schema/fingerprint.hpp"
#include "support/builders.hpp"

namespace options_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

// The one route of an application that has the given options, at POST /users/:id.
model::Route resolved(const model::Value& value) {
  const auto resolution =
      checked({route_file("routes/users.cpp", {route("POST", "/:id", value)}),
               component_file("middlewares/audit-log.cpp", model::ExportKind::middleware)});
  REQUIRE(summary(resolution.diagnostics) == "");
  return resolution.application.files.at(0).routes.at(0);
}

}  // namespace

TEST_CASE("route options: a route without options has inferred documentation and a fingerprint") {
  const auto resolution = checked({route_file("routes/users.cpp", {route("GET", "/")})});
  const auto& plain = resolution.application.files.at(0).routes.at(0);
  CHECK(plain.operation_id == "getUsers");
  CHECK(plain.operation_id_inferred);
  CHECK(plain.docs.tags == std::vector<std::string>{"users"});
  CHECK(plain.auth.kind == model::AuthKind::unset);
  CHECK(plain.options == model::Json::object());
  CHECK(plain.fingerprint ==
        fw::schema::declaration_fingerprint(model::Json::parse(R"({"method":"GET","path":"/"})")));
  CHECK(plain.option_digests.empty());
}

TEST_CASE("route options: each option has a digest, including docs") {
  const auto digests = [](const char* summary) {
    return resolved(options({{"compression", flag(true)},
                             {"docs", record("Docs", {{"summary", text(summary)}})}}))
        .option_digests;
  };
  using Names = std::vector<std::string>;
  CHECK(digests("a") == fw::schema::option_digests(
                            model::Json::parse(R"({"docs":{"summary":"a"},"compression":true})")));
  CHECK(fw::schema::differing_options(digests("a"), digests("b")) == Names{"docs"});
  CHECK(fw::schema::differing_options(digests("a"), "") == Names{"compression", "docs"});
  CHECK(fw::schema::differing_options(digests("a"), digests("a")) == Names{});
}

TEST_CASE("route options: locations are listed in the order of their validation") {
  const auto route = resolved(
      options({{"validate", record("Validate", {{"body", entries({{"name", text("string")}})},
                                                {"param", entries({{"id", text("uuid")}})},
                                                {"query", list({})}})}}));
  REQUIRE(route.validate.size() == 2);
  CHECK(route.validate[0].location == "param");
  CHECK(route.validate[1].location == "body");
  CHECK(route.validate[1].schema.fields.at(0).name == "name");
}

TEST_CASE("route options: the fingerprint is computed from the contract as written") {
  model::Value builder = call("compile_field", {text("email")});
  builder.members.push_back({"description", text("d"), {}});
  const auto route = resolved(options({
      {"validate",
       record("Validate",
              {{"body",
                entries({{"email", builder},
                         {"tags", call("array_of", {entries({{"key", text("string")}})})},
                         {"billing", call("optional", {entries({{"city", text("string")}})})},
                         {"notes", call("optional",
                                        {call("array_of", {entries({{"a", text("any")}})})})}})}})},
      {"middlewares",
       list({text("audit-log"),
             list({text("audit-log"), entries({{"z", integer(1)}, {"a", text("x")}})})})},
      {"responses", list({list({integer(201), entries({{"id", text("uuid")}})}),
                          list({text("2xx"), call("json_schema", {text("true")})}),
                          list({text("default"), text("string")})})},
      {"docs", record("Docs", {{"operation_id", text("createUser")}})},
  }));
  CHECK(route.fingerprint == fw::schema::declaration_fingerprint(model::Json::parse(R"({
    "method": "POST", "path": "/:id",
    "validate": {"body": {"email": {"$field": "email", "description": "d"},
                          "tags": [{"key": "string"}],
                          "billing": {"$optional": {"city": "string"}},
                          "notes": {"$optional": [{"a": "any"}]}}},
    "middlewares": ["audit-log", {"name": "audit-log", "options": {"a": "x", "z": 1}}],
    "responses": {"201": {"id": "uuid"}, "2xx": {"$jsonSchema": "true"}, "default": "string"},
    "docs": {"operationId": "createUser"}})")));
  CHECK(route.operation_id == "createUser");
  CHECK_FALSE(route.operation_id_inferred);
}

TEST_CASE("route options: auth has four forms") {
  CHECK(resolved(options({{"auth", flag(true)}})).auth.kind == model::AuthKind::required);
  CHECK(resolved(options({{"auth", flag(false)}})).auth.kind == model::AuthKind::disabled);
  const auto optional =
      resolved(options({{"auth", record("AuthRequirement", {{"required", flag(false)}})}}));
  CHECK(optional.auth.kind == model::AuthKind::requirement);
  CHECK_FALSE(optional.auth.needs.anything());
  const auto ruled =
      resolved(options({{"auth", record("AuthRequirement", {{"roles", list({text("admin")})},
                                                            {"security", text("oauth")}})}}));
  CHECK(ruled.auth.needs.has_groups);
  CHECK(ruled.auth.security->dump() == R"([{"oauth":[]}])");
  CHECK(resolved(options({{"auth", record("AuthRequirement", {{"check", function()}})}}))
            .auth.needs.has_check);
  CHECK_FALSE(resolved(options({{"auth", record("AuthRequirement", {{"roles", list({})}})}}))
                  .auth.needs.has_groups);
  const auto certified = resolved(
      options({{"auth", record("AuthRequirement", {{"client_certificate", flag(true)}})}}));
  CHECK(certified.auth.needs.client_certificate);
  CHECK_FALSE(certified.auth.needs.identity());
  CHECK(certified.auth.guards());
}

TEST_CASE("route options: docs are read with their responses") {
  const auto route = resolved(options(
      {{"docs",
        record(
            "Docs",
            {
                {"summary", text("Create")},
                {"tags", list({text("X"), text("Y"), text("X")})},
                {"deprecated", flag(true)},
                {"security", list({list({list({text("oauth"), list({text("read")})})}), list({})})},
                {"extensions", entries({{"x-a", integer(1)}})},
                {"access", entries({{"roles", list({text("r")})}})},
                {"responses",
                 list({list(
                     {integer(404),
                      record("ResponseDocs",
                             {{"description", text("none")},
                              {"content_type", text("text/csv")},
                              {"example", entries({{"a", integer(1)}})},
                              {"schema", entries({{"a", text("integer")}})},
                              {"headers",
                               entries({{"X-R",
                                         record("ResponseHeader",
                                                {{"description", text("h")},
                                                 {"schema",
                                                  entries({{"type", text("string")}})}})}})}})})})},
            })}}));
  CHECK(route.docs.summary == "Create");
  CHECK(route.docs.tags == std::vector<std::string>{"X", "Y"});
  CHECK_FALSE(route.docs.tags_inferred);
  CHECK(route.docs.deprecated);
  CHECK(route.docs.security->dump() == R"([{"oauth":["read"]},{}])");
  CHECK(route.docs.extensions.dump() == R"({"x-a":1})");
  CHECK(route.docs.access.dump() == R"({"roles":["r"]})");
  REQUIRE(route.docs.responses.size() == 1);
  const auto& response = route.docs.responses[0];
  CHECK(response.selector == "404");
  CHECK(response.description == "none");
  CHECK(response.content_type == "text/csv");
  CHECK(response.example.dump() == R"({"a":1})");
  CHECK(response.headers.dump() == R"({"X-R":{"description":"h","schema":{"type":"string"}}})");
  REQUIRE(response.schema);
  CHECK(std::get<fw::schema::Node>(*response.schema).fields.at(0).name == "a");
}

TEST_CASE("route options: files of a form have a description and may be required") {
  const auto route = resolved(options(
      {{"multipart",
        record("Multipart",
               {{"files",
                 list({list({text("avatar"), record("FileRules", {{"description", text("Pic")},
                                                                  {"required", flag(true)}})}),
                       list({text("doc"), text("Docs")})})}})}}));
  REQUIRE(route.files.size() == 2);
  CHECK(route.files[0].description == "Pic");
  CHECK(route.files[0].required);
  CHECK(route.files[1].description == "Docs");
  CHECK_FALSE(route.files[1].required);
}

TEST_CASE("route options: timeout takes precedence over the legacy override") {
  const auto overridden = record("Override", {{"timeout", integer(5)}});
  CHECK(resolved(options({{"timeout", integer(5)}})).has_timeout);
  CHECK_FALSE(resolved(options({{"timeout", flag(false)}})).has_timeout);
  CHECK(resolved(options({{"override_", overridden}})).has_timeout);
  CHECK_FALSE(resolved(options({{"timeout", flag(false)}, {"override_", overridden}})).has_timeout);
}

TEST_CASE("route options: every written option is in the manifest under its JSON name") {
  const auto route = resolved(options({
      {"body_parser", record("BodyParser", {{"max_body_size", text("2mb")}})},
      {"csrf", flag(false)},
      {"security_headers", flag(false)},
      {"compression", flag(true)},
      {"session", record("SessionOptions", {{"auto_commit", flag(true)}})},
      {"cache", record("RouteCacheOptions", {{"ttl", integer(5000)},
                                             {"partition_key", function()},
                                             {"allow_cookie_cache", flag(true)},
                                             {"methods", list({text("GET")})}})},
      {"override_",
       record("Override", {{"rate_limit", record("RateLimitOptions", {{"key_by", text("ip")}})}})},
      {"validate", validate("body", {{"a", text("string")}})},
      {"auth", record("AuthRequirement",
                      {{"permissions",
                        list({text("read"),
                              list({text("doc.read"), text("d1"), entries({{"a", integer(1)}})}),
                              list({text("p"), function()})})}})},
      {"multipart", record("Multipart", {{"files", entries({{"doc", text("Docs")}})}})},
      {"frontend",
       record("Frontend", {{"page", text("home")}, {"seo", entries({{"title", text("T")}})}})},
  }));
  CHECK(
      route.options.dump() ==
      R"({"bodyParser":{"maxBodySize":"2mb"},"csrf":false,"securityHeaders":false,"compression":true,)"
      R"("session":{"autoCommit":true},"cache":{"ttl":5000,"partitionKey":{"$function":true},)"
      R"("allowCookieCache":true,"methods":["GET"]},"override":{"rateLimit":{"keyBy":"ip"}},)"
      R"("validate":{"body":{"a":"string"}},"auth":{"permissions":["read",{"action":"doc.read",)"
      R"("resource":"d1","context":{"a":1}},{"action":"p","resource":{"$function":true}}]},)"
      R"("multipart":{"files":{"doc":"Docs"}},"frontend":{"page":"home","seo":{"title":"T"}}})");
}

TEST_CASE("route options: a number is the same to the start, however it is written") {
  const auto objective = [](model::Value availability) {
    return resolved(
        options({{"objective", record("Objective", {{"p99", integer(200)},
                                                    {"availability", std::move(availability)}})}}));
  };
  CHECK(objective(number(99.9)).options.dump() ==
        R"({"objective":{"p99":200,"availability":99.9}})");
  CHECK(objective(integer(99)).option_digests == objective(number(99.0)).option_digests);
  CHECK(objective(integer(99)).option_digests != objective(number(99.9)).option_digests);
}

TEST_CASE("route options: a tool is part of the contract of its route") {
  const auto tool = [](bool is_tool) { return resolved(options({{"mcp", flag(is_tool)}})); };
  CHECK(tool(true).options.dump() == R"({"mcp":true})");
  CHECK(tool(true).option_digests != tool(false).option_digests);
  CHECK(tool(false).option_digests == resolved(options({})).option_digests);
}

TEST_CASE("route options: JSON members follow nlohmann's rule for braces") {
  const auto extension = [](const model::Value& value) {
    return resolved(
               options({{"docs", record("Docs", {{"extensions", entries({{"x-a", value}})}})}}))
        .docs.extensions["x-a"]
        .dump();
  };
  CHECK(extension(list({integer(1), text("b")})) == R"([1,"b"])");
  CHECK(extension(list({text("a"), text("b")})) == R"(["a","b"])");
  CHECK(extension(list({})) == "{}");  // `fw::Json({})`
  CHECK(extension(call("Json::array", {})) == "[]");
  CHECK(extension(call("Json::object", {})) == "{}");
  CHECK(extension(call("Json::array", {list({list({text("a"), integer(1)})})})) == R"([["a",1]])");
  CHECK(extension(call("Json::object", {list({list({text("a"), integer(1)})})})) == R"({"a":1})");
}

}  // namespace options_test
