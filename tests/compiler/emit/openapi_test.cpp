#include "emit/openapi.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emit/openapi_parts.hpp"
#include "support/builders.hpp"

namespace openapi_test {

using namespace fairway;
using namespace fairway::testing;
using model::Json;

namespace {

Json document(const std::vector<model::ParsedFile>& files,
              const model::OpenApiOptions& options = {}) {
  std::vector<model::ParsedFile> all = files;
  all.push_back(component_file("middlewares/guard.cpp", model::ExportKind::middleware));
  const auto resolution = checked(all);
  REQUIRE(summary(resolution.diagnostics) == "");
  return emit::openapi_document(resolution.application, options);
}

// The value with the components of operations in the places that refer to them.
Json inlined(const Json& all, const Json& value) {
  if (!value.is_structured()) return value;
  if (value.is_object() && value.contains("$ref")) {
    const std::string target = value["$ref"].get<std::string>().substr(1);
    if (target.ends_with("Error")) return value;
    return inlined(all, all.at(Json::json_pointer(target)));
  }
  Json result = value.is_object() ? Json::object() : Json::array();
  for (const auto& [key, member] : value.items()) {
    if (value.is_object()) {
      result[key] = inlined(all, member);
    } else {
      result.push_back(inlined(all, member));
    }
  }
  return result;
}

// The operation of the only route.
Json operation(model::Registration registration, const model::OpenApiOptions& options = {}) {
  const Json all = document({route_file("routes/index.cpp", {std::move(registration)})}, options);
  return inlined(all, all["paths"].front().front());
}

Json operation_with(const model::Value& route_options, const std::string& method = "GET") {
  return operation(route(method, "/x", route_options));
}

model::Value docs(Named members) { return options({{"docs", record("Docs", std::move(members))}}); }

model::Value documented(const std::string& selector, Named config) {
  return docs({{"responses", entries({{selector, record("ResponseDocs", std::move(config))}})}});
}

Json schema_at(const Json& op, const std::string& status) {
  return op["responses"][status]["content"]["application/json"]["schema"];
}

}  // namespace

TEST_CASE("openapi: the document has info, servers and tags") {
  const Json all = document({route_file("routes/users.cpp", {route("GET", "/")})},
                            {.title = "Orders", .version = "1.2.3", .license = "MIT"});
  CHECK(all["openapi"] == "3.1.0");
  CHECK(all["info"].dump() == R"({"title":"Orders","version":"1.2.3","license":{"name":"MIT"}})");
  CHECK(all["servers"].dump() == R"([{"url":"/"}])");
  CHECK(all["tags"].dump() ==
        R"([{"name":"users","description":"Routes of src/routes/users.cpp"}])");
  const Json configured =
      document({}, {.description = "d",
                    .info = Json::parse(R"({"contact":{"name":"n"},"license":{"name":"l"}})"),
                    .servers = {{.url = "/", .description = "here"}}});
  CHECK(
      configured["info"].dump() ==
      R"({"title":"API","version":"0.0.0","description":"d","contact":{"name":"n"},"license":{"name":"l"}})");
  CHECK(configured["servers"].dump() == R"([{"url":"/","description":"here"}])");
  CHECK(document({}, {.servers = {{.url = "https://a.test"}}})["servers"][0]["url"] ==
        "https://a.test");
  CHECK(document({})["paths"].dump() == "{}");
}

TEST_CASE("openapi: an operation has an id, a summary and tags, written or inferred") {
  const Json inferred = operation(route("GET", "/users/:id"));
  CHECK(inferred["operationId"] == "getUsersById");
  CHECK(inferred["summary"] == "Get users by id");
  CHECK(inferred["tags"].dump() == R"(["root"])");
  const Json written = operation_with(docs({{"summary", text("List")},
                                            {"description", text("**md**")},
                                            {"deprecated", flag(true)},
                                            {"operation_id", text("list")},
                                            {"tags", list({text("X")})},
                                            {"extensions", entries({{"x-a", integer(1)}})},
                                            {"access", text("internal")}}));
  CHECK(written["operationId"] == "list");
  CHECK(written["summary"] == "List");
  CHECK(written["description"] == "**md**");
  CHECK(written["deprecated"] == true);
  CHECK(written["tags"].dump() == R"(["X"])");
  CHECK(written["x-a"] == 1);
  CHECK(written["x-fw-docs-access"] == "internal");
  CHECK(emit::inferred_summary("listHTTPErrors_now") == "List h t t p errors now");
}

TEST_CASE("openapi: a hidden route is not in the document") {
  CHECK(document({route_file("routes/a.cpp",
                             {route("GET", "/", docs({{"hidden", flag(true)}}))})})["paths"]
            .empty());
}

TEST_CASE("openapi: path parameters are required strings unless declared") {
  const Json op =
      operation(route("GET", "/:id/:name.:ext/*rest",
                      options({{"validate", validate("param", {{"id", text("integer:1-")}})}})));
  CHECK(op["parameters"].size() == 4);
  CHECK(op["parameters"][0].dump() ==
        R"({"name":"id","in":"path","required":true,"schema":{"type":"integer","minimum":1}})");
  CHECK(op["parameters"][2].dump() ==
        R"({"name":"ext","in":"path","required":true,"schema":{"type":"string"}})");
  CHECK(op["parameters"][3]["name"] == "rest");
}

TEST_CASE("openapi: paths are written as path templates") {
  const auto path_of = [](const std::string& path) {
    return document({route_file("routes/index.cpp", {route("GET", path)})})["paths"]
        .items()
        .begin()
        .key();
  };
  CHECK(path_of("/") == "/");
  CHECK(path_of("/Users/:id") == "/Users/{id}");
  CHECK(path_of("/d/:name.:ext") == "/d/{name}.{ext}");
  CHECK(path_of("/files/*path") == "/files/{path}");
  CHECK(path_of("/files/*") == "/files/{wildcard}");
  CHECK(path_of("/:wildcard/*") == "/{wildcard}/{wildcard_}");
}

TEST_CASE("openapi: paths that differ only in parameter names are one path item") {
  const Json all = document(
      {route_file("routes/users.cpp",
                  {route("GET", "/:id"),
                   route("DELETE", "/:name",
                         options({{"validate", validate("param", {{"name", text("uuid")}})}}))})});
  REQUIRE(all["paths"].size() == 1);
  const Json& item = all["paths"]["/users/{id}"];
  CHECK(
      item["delete"]["parameters"].dump() ==
      R"([{"name":"id","in":"path","required":true,"schema":{"type":"string","format":"uuid"}}])");
}

TEST_CASE("openapi: query, header and cookie fields are parameters in declaration order") {
  const Json op = operation_with(options(
      {{"validate", record("Validate", {{"cookie", entries({{"c", text("string?")}})},
                                        {"header", entries({{"x-v", text("integer")}})},
                                        {"query", entries({{"sort", text("enum:asc,desc?")},
                                                           {"a", text("number:0-")}})}})}}));
  CHECK(
      op["parameters"].dump() ==
      R"([{"name":"sort","in":"query","required":false,"schema":{"type":"string","enum":["asc","desc"]}},)"
      R"({"name":"a","in":"query","required":true,"schema":{"type":"number","minimum":0}},)"
      R"({"name":"x-v","in":"header","required":true,"schema":{"type":"integer"}},)"
      R"({"name":"c","in":"cookie","required":false,"schema":{"type":"string"}}])");
  CHECK(op["responses"].contains("422"));
}

TEST_CASE("openapi: a body keeps the order of its fields") {
  model::Value built = call("compile_field", {text("string:2-5")});
  built.members.push_back({"description", text("Built"), {}});
  const Json op = operation_with(
      options({{"validate",
                validate("body",
                         {{"name", text("string:1-50")},
                          {"built", built},
                          {"age", text("integer?")},
                          {"list", call("array_of", {entries({{"id", text("integer")}})})},
                          {"place", call("optional", {entries({{"city", text("string")}})})}})}}),
      "DELETE");
  CHECK(
      op["requestBody"].dump() ==
      R"({"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{)"
      R"("name":{"type":"string","minLength":1,"maxLength":50},)"
      R"("built":{"type":"string","minLength":2,"maxLength":5,"description":"Built"},)"
      R"("age":{"type":"integer"},)"
      R"("list":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}},)"
      R"("place":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}},)"
      R"("required":["name","built","list"]}}}})");
}

TEST_CASE("openapi: a form replaces the body, and a documented body replaces both") {
  const auto form = record(
      "Multipart",
      {{"files", list({list({text("avatar"), record("FileRules", {{"description", text("Pic")},
                                                                  {"required", flag(true)}})}),
                       list({text("doc"), text("Docs")})})}});
  const auto body = validate("body", {{"t", text("string")}});
  const Json both = operation_with(options({{"multipart", form}, {"validate", body}}), "POST");
  CHECK(both["requestBody"]["content"].items().begin().key() == "multipart/form-data");
  CHECK(
      both["requestBody"]["content"]["multipart/form-data"]["schema"].dump() ==
      R"({"type":"object","properties":{)"
      R"("avatar":{"type":"string","format":"binary","contentMediaType":"application/octet-stream","description":"Pic"},)"
      R"("doc":{"type":"string","format":"binary","contentMediaType":"application/octet-stream","description":"Docs"},)"
      R"("t":{"type":"string"}},"required":["avatar"]})");
  CHECK(both["requestBody"]["content"].contains("application/json"));
  for (const char* status : {"400", "413", "415", "422"}) CHECK(both["responses"].contains(status));
  const Json manual = operation_with(
      options(
          {{"validate", body},
           {"docs",
            record(
                "Docs",
                {{"request_body",
                  entries({{"content",
                            entries({{"text/plain",
                                      entries({{"schema",
                                                entries({{"type", text("string")}})}})}})}})}})}}),
      "POST");
  CHECK(manual["requestBody"].dump() ==
        R"({"content":{"text/plain":{"schema":{"type":"string"}}}})");
}

TEST_CASE("openapi: responses have the envelope unless the application disables it") {
  const auto declared =
      options({{"responses", entries({{"201", entries({{"id", text("uuid")}})}})}});
  const Json op = operation_with(declared);
  CHECK(op["responses"].size() == 2);
  CHECK(op["responses"]["201"]["description"] == "Created");
  CHECK(
      schema_at(op, "201").dump() ==
      R"({"type":"object","properties":{"code":{"type":"integer","const":0},)"
      R"("data":{"type":"object","properties":{"id":{"type":"string","format":"uuid"}},"required":["id"]},)"
      R"("requestId":{"type":"string"}},"required":["code","data","requestId"]})");
  CHECK(op["responses"]["default"]["content"]["application/json"]["schema"].dump() ==
        R"({"$ref":"#/components/schemas/Error"})");
  CHECK(schema_at(operation(route("GET", "/x", declared), {.envelope = false}), "201")["type"] ==
        "object");
  CHECK_FALSE(
      schema_at(operation(route("GET", "/x", declared), {.envelope = false}), "201")["properties"]
          .contains("code"));
}

TEST_CASE("openapi: a route whose responses are not seen has any success with any body") {
  CHECK(schema_at(operation_with(options({})), "2XX").dump() == "{}");
  CHECK_FALSE(operation_with(options({}))["responses"].contains("200"));
  CHECK_FALSE(operation_with(documented("204", {}))["responses"].contains("2XX"));
  CHECK_FALSE(operation_with(documented("204", {}))["responses"]["204"].contains("content"));
  CHECK(operation_with(documented("404", {}))["responses"].contains("2XX"));
  CHECK_FALSE(operation_with(options({}), "HEAD")["responses"]["2XX"].contains("content"));
  CHECK_FALSE(operation_with(documented("302", {}))["responses"]["302"].contains("content"));
}

TEST_CASE("openapi: response families are written in upper case") {
  const Json op = operation_with(
      options({{"responses", entries({{"2xx", text("string")}, {"4xx", text("string")}})}}));
  CHECK(op["responses"].contains("2XX"));
  CHECK(op["responses"]["4XX"]["description"] == "Client error");
  CHECK_FALSE(op["responses"].contains("200"));
}

TEST_CASE("openapi: error responses have the framework's schemas") {
  const auto ref = [](const Json& op, const std::string& status) {
    return schema_at(op, status).dump();
  };
  const Json param = operation(
      route("GET", "/:id", options({{"validate", validate("param", {{"id", text("uuid")}})}})));
  CHECK(ref(param, "400") == R"({"$ref":"#/components/schemas/ValidationError"})");
  CHECK_FALSE(param["responses"].contains("422"));
  const Json both = operation(route(
      "POST", "/:id",
      options({{"validate", record("Validate", {{"param", entries({{"id", text("uuid")}})},
                                                {"body", entries({{"a", text("string")}})}})}})));
  CHECK(
      ref(both, "400") ==
      R"({"anyOf":[{"$ref":"#/components/schemas/ValidationError"},{"$ref":"#/components/schemas/Error"}]})");
  CHECK(ref(both, "422") == R"({"$ref":"#/components/schemas/ValidationError"})");
  CHECK(operation_with(options({{"timeout", integer(5)}}))["responses"].contains("504"));
  const auto limited = [](model::Value limit) {
    return operation_with(options(
        {{"override_", record("Override", {{"rate_limit", std::move(limit)}})}}))["responses"];
  };
  CHECK(!limited(flag(false)).contains("429"));
  const Json too_many = limited(record("RateLimitOptions", {{"max", integer(5)}}))["429"];
  CHECK(too_many["description"] == "Too Many Requests");
  for (const char* name :
       {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After"}) {
    CHECK(too_many["headers"][name]["schema"]["type"] == "integer");
  }
  const Json guarded = operation_with(options({{"auth", flag(true)}}));
  CHECK(ref(guarded, "401") == R"({"$ref":"#/components/schemas/Error"})");
  CHECK(ref(guarded, "403") == R"({"$ref":"#/components/schemas/Error"})");
  const auto description_of = [](const std::string& selector) {
    return operation_with(documented(selector, {}))["responses"][selector]["description"];
  };
  CHECK(description_of("402") == "Payment Required");
  CHECK(description_of("451") == "Unavailable For Legal Reasons");
  CHECK(description_of("499") == "Status 499");
  const Json described = operation_with(documented("404", {{"description", text("none")}}));
  CHECK(described["responses"]["404"]["description"] == "none");
  CHECK(ref(described, "404") == R"({"$ref":"#/components/schemas/Error"})");
  const Json own =
      operation_with(documented("409", {{"schema", entries({{"a", text("string")}})}}));
  CHECK(schema_at(own, "409")["properties"].contains("a"));
}

TEST_CASE("openapi: only components that are used are in the document") {
  const Json plain = document({route_file("routes/a.cpp", {route("GET", "/")})});
  CHECK(plain["components"]["schemas"].contains("Error"));
  CHECK_FALSE(plain["components"]["schemas"].contains("ValidationError"));
  CHECK_FALSE(plain["components"].contains("securitySchemes"));
}

TEST_CASE("openapi: a recursive JSON Schema becomes a component") {
  const Json all = document({route_file(
      "routes/a.cpp",
      {route(
          "GET", "/",
          options(
              {{"responses",
                entries(
                    {{"200",
                      call(
                          "json_schema",
                          {text(
                              R"({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}})")})}})}}))})});
  CHECK(all["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
           ["properties"]["data"]
               .dump() == R"({"$ref":"#/components/schemas/GetAResponse200"})");
  CHECK(all["components"]["schemas"]["GetAResponse200"]["$ref"] ==
        "#/components/schemas/GetAResponse200N");
  CHECK(
      all["components"]["schemas"]["GetAResponse200N"].dump() ==
      R"({"type":"object","properties":{"next":{"$ref":"#/components/schemas/GetAResponse200N"}}})");
}

TEST_CASE("openapi: documented responses have headers, examples and other media types") {
  const Json op = operation_with(documented(
      "201",
      {{"headers", entries({{"X-R", record("ResponseHeader", {{"description", text("h")}})}})},
       {"example", entries({{"id", integer(1)}})}}));
  CHECK(op["responses"]["201"]["headers"].dump() ==
        R"({"X-R":{"description":"h","schema":{"type":"string"}}})");
  CHECK(op["responses"]["201"]["content"]["application/json"]["example"]["data"].dump() ==
        R"({"id":1})");
  const Json named = operation_with(documented(
      "200",
      {{"examples", entries({{"one", record("ResponseExample",
                                            {{"summary", text("s")}, {"value", integer(1)}})}})}}));
  const Json& example = named["responses"]["200"]["content"]["application/json"]["examples"]["one"];
  CHECK(example["summary"] == "s");
  CHECK(example["value"]["data"] == 1);
  const Json csv = operation_with(documented(
      "200",
      {{"content_type", text("text/csv")}, {"schema", text("string")}, {"example", text("a,b")}}));
  CHECK(csv["responses"]["200"]["content"].dump() ==
        R"({"text/csv":{"schema":{"type":"string"},"example":"a,b"}})");
}

TEST_CASE("openapi: security is inferred in a fixed order") {
  const auto requirement = [](Named members) {
    return options({{"auth", record("AuthRequirement", std::move(members))}});
  };
  const auto security = [](const model::Value& value) {
    return operation_with(value)["security"].dump();
  };
  CHECK(security(options({})) == "[]");
  CHECK(security(options({{"auth", flag(true)}})) == R"([{"bearerAuth":[]}])");
  CHECK(security(options(
            {{"auth", flag(true)}, {"docs", record("Docs", {{"security", list({})}})}})) == "[]");
  CHECK(security(requirement({{"required", flag(false)}})) == "[]");
  CHECK(security(requirement({{"required", flag(false)}, {"roles", list({text("a")})}})) ==
        R"([{"bearerAuth":[]}])");
  CHECK(security(requirement({{"client_certificate", flag(true)}})) == R"([{"mutualTLS":[]}])");
  CHECK(security(requirement({{"client_certificate", flag(true)}, {"roles", list({text("a")})}})) ==
        R"([{"bearerAuth":[],"mutualTLS":[]}])");
  CHECK(security(requirement({{"security", text("oauth")}})) == R"([{"oauth":[]}])");
  CHECK(security(requirement(
            {{"security", list({list({list({text("oauth"), list({text("read")})})})})}})) ==
        R"([{"oauth":["read"]}])");

  const auto guarded = list({text("guard")});
  const model::OpenApiOptions mapped = {.guard_security = {{"guard", "oauth"}}};
  CHECK(operation(route("GET", "/x", options({{"middlewares", guarded}})), mapped)["security"]
            .dump() == R"([{"oauth":[]}])");
  CHECK(operation(route("GET", "/x", options({{"middlewares", guarded}, {"auth", flag(false)}})),
                  mapped)["security"]
            .dump() == "[]");
  CHECK(operation(route("GET", "/x", options({{"middlewares", guarded}})))["security"].dump() ==
        "[]");
}

TEST_CASE("openapi: routes with auth may use the session cookie") {
  model::OpenApiOptions session = {.auth_schemes = {"sessionCookie"}};
  session.settings.config.session.name = "shop.sid";
  const Json all = document(
      {route_file("routes/a.cpp", {route("GET", "/", options({{"auth", flag(true)}}))})}, session);
  CHECK(all["paths"]["/a"]["get"]["security"].dump() == R"([{"sessionCookie":[]}])");
  CHECK(all["components"]["securitySchemes"].dump() ==
        R"({"sessionCookie":{"type":"apiKey","in":"cookie","name":"shop.sid"}})");
}

TEST_CASE("openapi: routes with auth may have alternative schemes") {
  const model::OpenApiOptions either = {.auth_schemes = {"bearerAuth", "sessionCookie"}};
  const Json all = document(
      {route_file("routes/a.cpp", {route("GET", "/", options({{"auth", flag(true)}}))})}, either);
  CHECK(all["paths"]["/a"]["get"]["security"].dump() ==
        R"([{"bearerAuth":[]},{"sessionCookie":[]}])");
  CHECK(all["components"]["securitySchemes"].size() == 2);
}

TEST_CASE("openapi: configured protections are in the document") {
  model::OpenApiOptions protected_app;
  protected_app.settings.config.csrf.enabled = true;
  protected_app.settings.config.csrf.headers = {"x-token"};
  protected_app.settings.config.rate_limit.enabled = true;
  const auto op = [&](const std::string& method, Named members) {
    return operation(route(method, "/x", options(std::move(members))), protected_app);
  };
  const Json post = op("POST", {});
  CHECK(post["parameters"].dump() ==
        R"([{"name":"x-token","in":"header","required":false,)"
        R"("description":"CSRF token, unless the body contains it","schema":{"type":"string",)"
        R"("description":"CSRF token, unless the body contains it"}}])");
  CHECK(schema_at(post, "403").dump() == R"({"$ref":"#/components/schemas/Error"})");
  CHECK(post["responses"]["429"]["headers"].contains("Retry-After"));
  const Json get = op("GET", {});
  CHECK_FALSE(get.contains("parameters"));
  CHECK_FALSE(get["responses"].contains("403"));
  CHECK(get["responses"].contains("429"));
  const Json skipped =
      op("POST",
         {{"csrf", flag(false)}, {"override_", record("Override", {{"rate_limit", flag(false)}})}});
  CHECK_FALSE(skipped.contains("parameters"));
  CHECK_FALSE(skipped["responses"].contains("403"));
  CHECK_FALSE(skipped["responses"].contains("429"));
  // One that the route declares is not repeated.
  const Json declared =
      op("POST", {{"validate", validate("header", {{"X-Token", text("string")}})}});
  REQUIRE(declared["parameters"].size() == 1);
  CHECK(declared["parameters"][0]["required"] == true);
  // A form of the built-in parser, though its files are not documented.
  const Json form = op("POST", {{"multipart", record("Multipart", {{"enabled", flag(true)}})}});
  for (const char* status : {"400", "413", "415"}) CHECK(form["responses"].contains(status));
}

TEST_CASE("openapi: the cache and entity tags add headers and a 304 to responses") {
  model::OpenApiOptions configured;
  const auto responses = [&](const model::Value& cache, Named members = {},
                             const std::string& method = "GET") {
    members.emplace_back("cache", cache);
    return operation(route(method, "/x", options(std::move(members))), configured)["responses"];
  };
  const auto names = [](const Json& object) {
    std::string list;
    for (const auto& [name, member] : object.items()) list += name + " ";
    return list;
  };
  const auto success = [](const Json& all) -> const Json& {
    return all[all.contains("200") ? "200" : "2XX"];
  };
  const auto headers = [&](const Json& all) {
    return names(success(all).value("headers", Json::object()));
  };
  const auto cache = [](Named members) { return record("RouteCacheOptions", std::move(members)); };
  const Json cached = responses(integer(5000));
  CHECK(headers(cached) == "X-Cache Cache-Control ");
  CHECK(names(success(cached)) == "description headers content ");
  CHECK_FALSE(cached.contains("304"));  // without a validator
  CHECK(headers(responses(cache({{"ttl", integer(1)}, {"cache_control", flag(false)}}))) ==
        "X-Cache ");
  for (const auto& off : {flag(false), integer(0), cache({}), cache({{"ttl", integer(-1)}}),
                          cache({{"ttl", integer(1)}, {"methods", list({text("POST")})}})}) {
    CHECK(headers(responses(off)).empty());
  }
  CHECK(headers(responses(integer(1), {}, "POST")).empty());

  // A handler that documents a validator.
  const auto documented_as = [](const char* status, Named config) {
    return std::pair<std::string, model::Value>(
        "docs", record("Docs", {{"responses",
                                 entries({{status, record("ResponseDocs", std::move(config))}})}}));
  };
  const auto dated = documented_as(
      "200", {{"headers", entries({{"last-modified", record("ResponseHeader", {})}})}});
  const Json conditional = responses(integer(5000), {dated});
  CHECK(headers(conditional) == "last-modified X-Cache Cache-Control ");
  CHECK(conditional["304"]["headers"] == conditional["200"]["headers"]);
  CHECK_FALSE(responses(flag(false), {dated}).contains("304"));
  CHECK(names(conditional) == "200 304 default ");

  // Settings of the configuration.
  configured.settings.config.cache.default_ttl = 1000;
  CHECK(headers(responses(cache({}))) == "X-Cache Cache-Control ");
  configured.settings.config.etag = fw::EntityTags::weak;
  CHECK(headers(responses(flag(false))) == "ETag ");
  CHECK(responses(flag(false))["304"]["description"] == "Not Modified");
  CHECK(responses(integer(1), {documented_as("304", {{"description", text("Same")}})})["304"]
            .dump() == R"({"description":"Same"})");
  const auto csv = documented_as("200", {{"content_type", text("text/csv")}});
  CHECK_FALSE(responses(integer(1), {csv}).contains("304"));
  configured.settings.config.cache.enabled = false;
  CHECK(headers(responses(integer(1))) == "ETag ");
}

TEST_CASE("openapi: a route that calls the proxy may respond with 502 and 504") {
  auto proxied = route("GET", "/x");
  proxied.handler.proxies = true;
  const Json responses = operation(proxied)["responses"];
  CHECK(responses["502"]["content"].contains("application/json"));
  CHECK(responses["504"]["content"].contains("application/json"));
  CHECK(responses["2XX"].dump() ==
        R"({"description":"Response of the upstream","content":{"*/*":{"schema":)"
        R"({"type":"string","format":"binary","contentMediaType":"application/octet-stream"}}}})");
  auto described = route(
      "GET", "/x", options({{"responses", entries({{"200", entries({{"a", text("string")}})}})}}));
  described.handler.proxies = true;
  CHECK(operation(described)["responses"]["200"]["content"].contains("application/json"));
}

TEST_CASE("openapi: responses are inferred from what handlers send") {
  const auto responses_of = [](std::vector<model::SentResponse> sent, bool sends_others = false,
                               const model::Value& declared = options({})) {
    auto registration = route("GET", "/x", declared);
    registration.handler.sent = std::move(sent);
    registration.handler.sends_others = sends_others;
    return operation(registration)["responses"];
  };
  const auto contents = [](const Json& responses) {
    std::string all;
    for (const auto& [status, response] : responses.items()) {
      all += status + ":";
      const Json content = response.value("content", Json::object());
      for (const auto& [type, media] : content.items()) {
        const Json& schema = media["schema"];
        const bool is_wrapped = schema.contains("properties");
        all += " " + type + (is_wrapped ? "" : " " + schema.dump());
      }
      all += "\n";
    }
    return all;
  };
  const std::string any_error = R"(default: application/json {"$ref":"#/components/schemas/Error"})"
                                "\n";
  const std::string error = R"(application/json {"$ref":"#/components/schemas/Error"})";
  const std::string bytes =
      R"({"type":"string","format":"binary","contentMediaType":"application/octet-stream"})";
  CHECK(contents(responses_of({{"text", {200}, "text/plain"}})) ==
        "200: text/plain {\"type\":\"string\"}\n" + any_error);
  CHECK(contents(responses_of({{"download", {200}, "application/pdf"},
                               {"stream", {206}, "*/*"},
                               {"redirect", {301}, ""}})) ==
        "200: application/pdf " + bytes + "\n206: */* " + bytes + "\n301:\n" + any_error);
  CHECK(contents(responses_of({{"json", {200, 201}, ""}, {"text", {200}, "text/plain"}})) ==
        "200: application/json text/plain {\"type\":\"string\"}\n201: application/json\n" +
            any_error);
  // A known type with an unknown status describes each success, and other errors.
  const model::TypeUse number{.name = "int", .schema = R"({"type":"integer"})"};
  const auto schema_of = [](const Json& responses, const std::string& status,
                            const std::string& type = "application/json") {
    return responses[status]["content"][type]["schema"];
  };
  const std::string error_reference = R"({"$ref":"#/components/schemas/Error"})";
  const Json unknown = responses_of({{"json", {}, "", number}, {"raise", {404}, ""}});
  const Json of_success = schema_of(unknown, "2XX");
  CHECK(of_success["properties"]["data"].dump() == R"({"type":"integer"})");
  CHECK(schema_of(unknown, "404").dump() == error_reference);
  CHECK(schema_of(unknown, "default").dump() ==
        R"({"anyOf":[)" + of_success.dump() + "," + error_reference + "]}");
  CHECK(contents(responses_of({{"text", {}, "text/plain"}})) ==
        "2XX: text/plain {\"type\":\"string\"}\ndefault: application/json " + error_reference +
            " text/plain {\"type\":\"string\"}\n");
  // With the status of an exception, it describes errors only, also those that are raised.
  model::SentResponse of_error{"json", {}, "", number};
  of_error.is_error = true;
  const Json errors = responses_of({{"json", {200}, "", number}, of_error, {"raise", {404}, ""}});
  CHECK_FALSE(errors.contains("2XX"));
  CHECK(schema_of(errors, "200") == of_success);
  for (const char* const status : {"404", "default"}) {
    CHECK(schema_of(errors, status).dump() ==
          R"({"anyOf":[)" + of_success.dump() + "," + error_reference + "]}");
  }
  // Not if they are described.
  const Json described = responses_of({{"json", {}, "", number}}, false,
                                      documented("default", {{"description", text("Failure")}}));
  CHECK(schema_of(described, "default").dump() == error_reference);
  CHECK(contents(responses_of({{"redirect", {}, ""}})) == "3XX:\n" + any_error);
  // JSON with another media type.
  const Json problem = responses_of(
      {{"json", {200}, "", number}, {"json", {404}, "application/problem+json", number}});
  CHECK(contents(problem) == "200: application/json\n404: application/problem+json\n" + any_error);
  CHECK(schema_of(problem, "404", "application/problem+json") == schema_of(problem, "200"));
  const Json several = responses_of({{"json", {404}, "", number},
                                     {"json", {404}, "application/problem+json", number},
                                     {"raise", {404}, ""}});
  CHECK(schema_of(several, "404").dump() ==
        R"({"anyOf":[)" + of_success.dump() + "," + error_reference + "]}");
  CHECK(schema_of(several, "404", "application/problem+json") == of_success);
  const Json two_bodies =
      responses_of({{"json", {200}, "text/html", number}, {"text", {200}, "text/html"}});
  CHECK(schema_of(two_bodies, "200", "text/html").dump() ==
        R"({"anyOf":[)" + of_success.dump() + R"(,{"type":"string"}]})");
  CHECK(contents(responses_of({{"raw_json", {200}, ""}})) ==
        "200: application/json {}\n" + any_error);
  CHECK(contents(responses_of({{"raw_json", {400}, "application/problem+json"}})) ==
        "400: application/problem+json {}\n" + any_error);
  CHECK(contents(responses_of({{"end", {202}, ""}})) == "202:\n" + any_error);
  CHECK(contents(responses_of({{"json", {200}, ""}, {"raise", {404}, ""}, {"raise", {502}, ""}})) ==
        "200: application/json\n404: " + error + "\n502: " + error + "\n" + any_error);
  // A handler of which something is unknown may send any body, also with another status.
  const std::string any_body = " application/json {} */* " + bytes;
  const std::string any_or_error =
      R"( application/json {"anyOf":[{},{"$ref":"#/components/schemas/Error"}]} */* )" + bytes;
  CHECK(contents(responses_of(
            {{"text", {201}, "text/plain"}, {"json", {}, "", number}, {"raise", {404}, ""}},
            true)) == "201:" + any_body + " text/plain {\"type\":\"string\"}\n2XX:" + any_body +
                          "\n404:" + any_or_error + "\ndefault:" + any_or_error + "\n");
  // Not where that is described, or a success is declared.
  CHECK(contents(responses_of({}, true, documented("default", {{"description", text("Any")}}))) ==
        "default: application/json " + error_reference + "\n");
  CHECK(contents(responses_of({}, true, documented("404", {{"description", text("Gone")}}))) ==
        "2XX:" + any_body + "\n404: " + error + "\ndefault:" + any_or_error + "\n");
  CHECK(contents(responses_of({}, true, documented("204", {{"description", text("Done")}}))) ==
        "204:\n" + any_error);
  // What is declared applies to JSON, and to the statuses of its selector.
  const auto family = options({{"responses", entries({{"2xx", entries({{"id", text("uuid")}})}})}});
  CHECK(
      contents(responses_of({{"json", {201}, ""}, {"text", {200}, "text/plain"}}, false, family)) ==
      "2XX: application/json text/plain {\"type\":\"string\"}\n" + any_error);
  const auto typed = documented("200", {{"content_type", text("text/csv")}});
  CHECK(contents(responses_of({{"stream", {200}, "application/octet-stream"}}, false, typed)) ==
        "200: text/csv {\"type\":\"string\"}\n" + any_error);
}

TEST_CASE("openapi: the codes of errors that a handler raises are alternatives to any error") {
  const auto raised = [](int status, const std::string& code, const std::string& message = "") {
    model::SentResponse sent;
    sent.function = "raise";
    if (status != 0) sent.statuses = {status};
    sent.code = code;
    sent.message = message;
    return sent;
  };
  const auto documented_errors = [](std::vector<model::SentResponse> sent,
                                    const model::OpenApiOptions& settings = {}) {
    auto registration = route("GET", "/x", options({{"auth", flag(true)}}));
    registration.handler.sent = std::move(sent);
    registration.handler.sends_others = false;
    return document({route_file("routes/index.cpp", {std::move(registration)})}, settings);
  };
  const auto names = [](const Json& all) {
    std::string text;
    for (const auto& [status, response] : all["paths"]["/x"]["get"]["responses"].items()) {
      if (!response.contains("content")) continue;
      const Json& schema = response["content"]["application/json"]["schema"];
      text += status + ":";
      for (const Json& each : schema.value("anyOf", Json::array({schema}))) {
        const std::string reference = each.value("$ref", "");
        text += " " + reference.substr(reference.rfind('/') + 1);
      }
      text += "\n";
    }
    return text;
  };
  const std::string others = "default: Error\n";

  const Json all = documented_errors({raised(404, R"("PRODUCT_NOT_FOUND")"), raised(404, ""),
                                      raised(404, "40401"), raised(403, R"("product.locked")"),
                                      raised(409, ""), raised(404, R"("PRODUCT_NOT_FOUND")")});
  CHECK(names(all) ==
        "401: Error\n403: ProductLocked Error\n"
        "404: ProductNotFound Error40401 Error\n409: Error\n" +
            others);
  const Json& schemas = all["components"]["schemas"];
  CHECK(schemas["ProductNotFound"].dump() ==
        R"({"type":"object","description":"Error response with the code \"PRODUCT_NOT_FOUND\"",)"
        R"("properties":{"code":{"type":"string","const":"PRODUCT_NOT_FOUND"},)"
        R"("message":{"type":"string"},"details":{"type":["object","array"],"items":{}},)"
        R"("requestId":{"type":"string"}},"required":["code","message","requestId"]})");
  CHECK(schemas["Error40401"]["properties"]["code"].dump() ==
        R"({"type":"integer","const":40401})");
  Json older = all;
  emit::convert_to_3_0(older);
  CHECK(older["components"]["schemas"]["ProductNotFound"]["properties"]["code"].dump() ==
        R"({"type":"string","enum":["PRODUCT_NOT_FOUND"]})");

  // Errors with a list of fields, if they have a status of the component.
  const auto invalid = [&](int status) {
    model::SentResponse sent = raised(status, "");
    sent.type.name = model::kValidationError;
    return sent;
  };
  CHECK(names(documented_errors({invalid(422), invalid(400), invalid(409)})) ==
        "400: ValidationError\n401: Error\n403: Error\n409: Error\n422: ValidationError\n" +
            others);
  CHECK(names(documented_errors({invalid(422), raised(422, R"("TAKEN")")})) ==
        "401: Error\n403: Error\n422: Taken ValidationError Error\n" + others);

  // Codes with one name have components of their own.
  const Json same = documented_errors({raised(404, R"("A_B")"), raised(404, R"("a.b")")});
  CHECK(names(same) == "401: Error\n403: Error\n404: AB AB_ Error\n" + others);

  // Locale files have codes, and statuses of errors that are raised by key.
  model::OpenApiOptions settings;
  settings.settings.is_known = true;
  settings.settings.locale_errors["user.gone"] = {model::LocaleError{410, R"("USER_GONE")"},
                                                  model::LocaleError{{}, R"("DE_GONE")"}};
  settings.settings.locale_errors["user.plain"].emplace_back();
  CHECK(names(documented_errors({raised(0, "", "user.gone"), raised(0, "", "user.plain")},
                                settings)) ==
        "400: DeGone Error\n401: Error\n403: Error\n410: UserGone Error\n" + others);
  CHECK(names(documented_errors(
            {raised(404, "", "user.gone"), raised(409, "7", "user.gone"), raised(0, "", "a.key")},
            settings)) ==
        "400: Error\n401: Error\n403: Error\n404: UserGone DeGone Error\n"
        "409: Error7 Error\n" +
            others);
  // Without the configuration, they are not known.
  CHECK(names(documented_errors({raised(0, "", "user.gone"), raised(404, "", "user.gone")})) ==
        "401: Error\n403: Error\n404: Error\n" + others);
}

TEST_CASE("openapi: form fields are required only if they are the body") {
  const auto form = [](Named members) {
    members.insert(members.begin(), {"files", list({list({text("avatar"), text("Pic")})})});
    return record("Multipart", std::move(members));
  };
  const auto body = validate("body", {{"t", text("string")}, {"n", text("string?")}});
  const auto required = [&](const model::Value& multipart, const model::OpenApiOptions& settings) {
    const Json op = operation(
        route("POST", "/x", options({{"multipart", multipart}, {"validate", body}})), settings);
    const Json content = op["requestBody"]["content"];
    if (!content.contains("multipart/form-data")) return std::string("no form");
    return content["multipart/form-data"]["schema"].value("required", Json::array()).dump();
  };
  model::OpenApiOptions configured;
  configured.settings.config.multipart = {.enabled = true, .fields = true};
  CHECK(required(form({{"enabled", flag(true)}}), {}) == "[]");
  CHECK(required(form({{"enabled", flag(true)}, {"fields", flag(true)}}), {}) == R"(["t"])");
  CHECK(required(form({}), configured) == R"(["t"])");
  CHECK(required(form({{"fields", flag(false)}}), configured) == "[]");
  CHECK(required(record("Multipart", {{"enabled", flag(true)}, {"fields", flag(true)}}), {}) ==
        R"(["t"])");
  CHECK(required(record("Multipart", {{"enabled", flag(true)}}), {}) == "no form");
}

TEST_CASE("openapi: a wildcard and a parameter share a path item, the parameter first") {
  const Json all = document({route_file(
      "routes/f.cpp", {route("GET", "/*rest"), route("PUT", "/*rest"), route("GET", "/:id")})});
  REQUIRE(all["paths"].size() == 1);
  const Json& item = all["paths"]["/f/{rest}"];
  CHECK(item["get"]["operationId"] == "getFById");
  CHECK(item["get"]["parameters"][0]["name"] == "rest");
  CHECK(item["put"]["parameters"][0]["schema"]["description"] ==
        "The rest of the path; it may have slashes");
  CHECK(all["x-fw-undocumented"].dump() == R"(["GET /f/*rest"])");
  CHECK_FALSE(document({route_file("routes/f.cpp", {route("GET", "/*rest")})})
                  .contains("x-fw-undocumented"));
}

TEST_CASE("openapi: a form lists the media types allowed for its files") {
  const auto form =
      record("Multipart", {{"files", list({list({text("avatar"), text("Pic")})})},
                           {"allowed_mime_types", list({text("image/png"), text("image/jpeg")})}});
  const Json op = operation_with(options({{"multipart", form}}), "POST");
  CHECK(op["requestBody"]["content"]["multipart/form-data"]["encoding"].dump() ==
        R"({"avatar":{"contentType":"image/png, image/jpeg"}})");
}

TEST_CASE("openapi: a body without a schema is described by its media type") {
  const auto schema_of = [](const std::string& type) {
    return operation_with(documented(
        "200", {{"content_type", text(type)}}))["responses"]["200"]["content"][type]["schema"]
        .dump();
  };
  CHECK(schema_of("text/csv") == R"({"type":"string"})");
  CHECK(schema_of("application/atom+xml") == R"({"type":"string"})");
  CHECK(schema_of("application/problem+json") == "{}");
  CHECK(schema_of("image/png") ==
        R"({"type":"string","format":"binary","contentMediaType":"application/octet-stream"})");
}

TEST_CASE("openapi: every security scheme used is defined, as configured if it is") {
  const Json described = document(
      {route_file("routes/a.cpp", {route("POST", "/", docs({{"security", text("key")}}))})},
      {.security_schemes =
           Json::parse(R"({"key":{"type":"apiKey","in":"header","name":"X-Key"},"other":{}})")});
  CHECK(described["components"]["securitySchemes"].dump() ==
        R"({"key":{"type":"apiKey","in":"header","name":"X-Key"}})");

  const Json all = document(
      {route_file("routes/a.cpp", {route("GET", "/", options({{"auth", flag(true)}})),
                                   route("POST", "/", docs({{"security", text("oauth")}}))})});
  CHECK(
      all["components"]["securitySchemes"].dump() ==
      R"({"bearerAuth":{"type":"http","scheme":"bearer"},"oauth":{"type":"http","scheme":"bearer"}})");
}

TEST_CASE("openapi: the document does not depend on the order of files") {
  const auto a = route_file("routes/a.cpp", {route("GET", "/")});
  const auto b = route_file("routes/b.cpp", {route("GET", "/")});
  const auto text = [](const model::Application& application) {
    return emit::openapi_text(emit::openapi_document(application, {}));
  };
  CHECK(text(checked({a, b}).application) == text(checked({b, a}).application));
}

}  // namespace openapi_test
