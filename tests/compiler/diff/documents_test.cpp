// Input: what is read, and which errors other input gets.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "diff/document.hpp"
#include "emit/openapi.hpp"
#include "files/whole_file.hpp"
#include "support/compared.hpp"

namespace documents_test {

using namespace fairway::diff;
using namespace fairway::testing;

namespace {

std::string error_of(const std::string& name, const std::string& text) {
  try {
    parse_document(name, text);
  } catch (const BadDocument& error) {
    return error.what();
  }
  return "accepted";
}

std::string error_of_comparison(const std::string& operation) {
  const std::string text = R"({"openapi": "3.1.0", "paths": {"/a": {"get": )" + operation + "}}}";
  try {
    compare_documents(parse_document("old.json", text), parse_document("new.json", text));
  } catch (const BadDocument& error) {
    return error.what();
  }
  return "accepted";
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("diff documents: other files are rejected, with a suggestion") {
  CHECK(error_of("a.json", "{\"openapi\": ") ==
        "a.json:1:13: is not JSON: unexpected end of input; expected '[', '{', or a literal");
  CHECK(error_of("a.yaml", "openapi: 3.1.0\npaths:\n  /a: [\n") ==
        "a.yaml: at line 4, column 1: end of sequence flow not found");
  CHECK(error_of("a", "# comment\nopenapi: 4.0.0\n") ==
        "a: is OpenAPI 4.0.0: versions 3.0 to 3.2 can be compared");
  CHECK(
      error_of("a.json", "[]") ==
      "a.json: is neither an OpenAPI document (no 'openapi' member) nor a routes.manifest.json nor "
      "a list of metrics");
  CHECK(error_of("a.json", "").find("is not JSON") != std::string::npos);
  CHECK(error_of("a.json", R"({"swagger": "2.0"})").find("npx swagger2openapi") !=
        std::string::npos);
  CHECK(error_of("a.json", R"({"openapi": "4.0.0"})") ==
        "a.json: is OpenAPI 4.0.0: versions 3.0 to 3.2 can be compared");
  CHECK(error_of("a.json", R"({"version": 2, "files": []})") ==
        "a.json: /version: is 2: this fairway reads manifests of version 1");
  CHECK(error_of("a.json", R"({"version": 1, "files": [{"path": "x"}]})") ==
        "a.json: /files/0: 'prefix' must be a string");
}

TEST_CASE("diff documents: a YAML document equals its JSON form") {
  for (const char* name : {"orders", "hello"}) {
    const auto text =
        fairway::files::read_file(std::string(FAIRWAY_GENERATED_DIR "/") + name + "/openapi.json");
    REQUIRE(text.has_value());
    const Json json = Json::parse(*text);
    const auto from_yaml = parse_document("a.yaml", fairway::emit::to_yaml(json));
    CHECK(*from_yaml.root().value == json);
    CHECK(*parse_document("a.yaml", *text).root().value == json);
  }
}

TEST_CASE("diff documents: deep nesting is rejected") {
  CHECK(error_of("a.json", repeated("[", 200000)) == "a.json: nested more than 400 levels deep");
  CHECK(error_of("a.yaml", repeated("[", 402) + repeated("]", 402)) ==
        "a.yaml: at line 1, column 402: values are nested more than 400 levels deep");
  CHECK(error_of("a.json", repeated("{\"a\":", 401) + "1" + repeated("}", 401)) ==
        "a.json: nested more than 400 levels deep");
  // Brackets in strings, and values beside each other, are not nested.
  CHECK(error_of("a.json", R"({"openapi": "3.1.0", "x-a": "\"\\)" + repeated("[{", 500) + "\"}") ==
        "accepted");
  CHECK(error_of("a.json", R"({"openapi": "3.1.0", "x-a": [)" + repeated("[{}], ", 500) + "1]}") ==
        "accepted");
  CHECK(error_of("a.json", repeated("]", 500)).find("is not JSON") != std::string::npos);
}

TEST_CASE("diff documents: missing, foreign and circular references are errors") {
  const auto body = [](const std::string& reference) {
    return R"({"requestBody": {"$ref": ")" + reference + R"("}})";
  };
  CHECK(error_of_comparison(body("#/components/requestBodies/X")) ==
        "old.json: /paths/~1a/get/requestBody/$ref: there is no '#/components/requestBodies/X' in "
        "the document");
  CHECK(error_of_comparison(body("other.json#/X")) ==
        "old.json: /paths/~1a/get/requestBody/$ref: 'other.json#/X' is in another file: bundle the "
        "document into one file first");
  CHECK(error_of_comparison(body("#/paths/~1a/get/requestBody")) ==
        "old.json: /paths/~1a/get/requestBody: the reference is circular");
  CHECK(error_of_comparison(R"({"parameters": [{"$ref": "#/paths/~1a/get/x-p"}],
                               "x-p": {"in": "query", "name": "a b%"}})") == "accepted");
  // Any value fits a schema that says no more than itself.
  CHECK(error_of_comparison(R"({"requestBody": {"content": {"application/json": {"schema":
      {"$ref": "#/paths/~1a/get/requestBody/content/application~1json/schema"}}}}})") ==
        "accepted");
}

TEST_CASE("diff documents: references to anchors are resolved, those relative to an $id rejected") {
  const auto body = [](const std::string& schema) {
    return R"({"requestBody": {"content": {"application/json": {"schema": )" + schema + "}}}}";
  };
  CHECK(error_of_comparison(
            body(R"({"items": {"$ref": "#a"}, "$defs": {"x": {"$anchor": "a"}}})")) == "accepted");
  CHECK(error_of_comparison(body(R"({"items": {"$ref": "#a"}, "default": {"$anchor": "a"}})")) ==
        "old.json: /paths/~1a/get/requestBody/content/application~1json/schema/items/$ref: there "
        "is no '#a' in the document");
  CHECK(
      error_of_comparison(
          body(R"({"$id": "https://x/y", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}})")) ==
      "old.json: /paths/~1a/get/requestBody/content/application~1json/schema/items/$ref: "
      "'#/$defs/a' is relative to an '$id': use references to the document, and remove the '$id'");
  CHECK(error_of_comparison(body(R"({"$id": "https://x/y", "default": {"$ref": "#/x"}})")) ==
        "accepted");
}

TEST_CASE("diff documents: malformed parts are reported by name") {
  CHECK(error_of_comparison(R"({"responses": []})") ==
        "old.json: /paths/~1a/get/responses: must be an object");
  CHECK(error_of_comparison(R"({"parameters": [{"name": "a"}]})") ==
        "old.json: /paths/~1a/get/parameters/0: a parameter must have a 'name' and an 'in'");
  const auto schema = [](const std::string& text) {
    return R"({"requestBody": {"content": {"application/json": {"schema": )" + text + "}}}}";
  };
  const std::string node = "old.json: /paths/~1a/get/requestBody/content/application~1json/schema";
  CHECK(error_of_comparison(schema("[]")) == node + ": a schema must be an object");
  CHECK(error_of_comparison(schema(R"({"type": "txt"})")) ==
        node + "/type: there is no type 'txt'");
  CHECK(error_of_comparison(schema(R"({"minimum": "1"})")) == node + "/minimum: must be a number");
  CHECK(error_of_comparison(schema(R"({"enum": 1})")) == node + "/enum: must be an array");
}

TEST_CASE("diff documents: a manifest is compared by its routes, including hidden ones") {
  const std::string text =
      R"({"version": 1, "files": [{"path": "routes/a.cpp", "prefix": "/a", "routes": [
    {"method": "POST", "path": "/a/:id", "operationId": "a", "tags": ["a"], "options": {
      "validate": {"body": {"note": "string:1-20?", "to": {"$field": "email", "description": "d"},
                            "at": {"city": "string"}}},
      "auth": {"roles": ["x", "y"]},
      "responses": {"201": {"$jsonSchema": "{\"type\": \"object\"}"}},
      "docs": {"hidden": true, "summary": "A"}}}]}]})";
  const Document before = parse_document("old.json", text);
  CHECK(before.source() == Document::Source::manifest);
  const auto after = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return ids(compare_documents(before, parse_document("new.json", changed)));
  };
  using Ids = std::vector<std::string>;
  CHECK(after("1-20?", "1-10?") == Ids{"request-length-tightened"});
  CHECK(after("1-20?", "1-20") == Ids{"request-member-became-required"});
  CHECK(after(R"({"city": "string"})", R"({"$optional": {"city": "string"}})") ==
        Ids{"request-member-became-optional"});
  CHECK(after("\"email\"", "\"uuid\"") == Ids{"request-format-changed"});
  CHECK(after("\"d\"", "\"e\"") == Ids{"description-changed"});
  CHECK(after("\"x\", \"y\"", "\"x\"") == Ids{"security-tightened"});
  CHECK(after("\"x\", \"y\"", "\"x\", \"y\", \"z\"") == Ids{"security-loosened"});
  CHECK(after("object", "string") == Ids{"response-type-changed"});
  CHECK(after(":id", ":key") == Ids{"path-parameter-renamed"});
  CHECK(after("POST", "PUT") == Ids{"operation-added", "operation-removed"});
}

TEST_CASE("diff documents: a manifest tells which series of metrics get another name") {
  const std::string text =
      R"({"version": 1, "files": [{"path": "routes/a.cpp", "prefix": "/a", "routes": [
    {"method": "GET", "path": "/a/:id", "operationId": "a", "tags": ["a"], "options": {}}]}]})";
  std::string renamed = text;
  renamed.replace(renamed.find(":id"), 3, ":key");
  const auto changes =
      compare_documents(parse_document("old.json", text), parse_document("new.json", renamed));
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].message ==
        "path parameter 'id' became 'key', and the metrics of the route have another "
        "'http_route'");
}

TEST_CASE("diff documents: C++ types of a manifest are compared like other schemas") {
  const std::string text =
      R"({"version": 1, "files": [{"path": "routes/a.cpp", "prefix": "/a", "routes": [
    {"method": "POST", "path": "/a", "operationId": "a", "tags": ["a"],
     "options": {"validate": {"body": {"$type": {"$ref": "#/$defs/Order", "$defs": {
       "Order": {"type": "object", "required": ["payment"], "properties": {
         "payment": {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Cash"}],
           "discriminator": {"propertyName": "kind",
             "mapping": {"card": "#/$defs/Card", "cash": "#/$defs/Cash"}}},
         "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 9}},
         "tags": {"type": "array", "items": {"type": "string"}},
         "parts": {"type": "array", "items": {"$ref": "#/$defs/Order"}}}},
       "Card": {"type": "object", "required": ["kind"],
         "properties": {"kind": {"type": "string", "enum": ["card"]}}},
       "Cash": {"type": "object", "required": ["kind"],
         "properties": {"kind": {"type": "string", "enum": ["cash"]}}}}}}}},
     "inferredResponses": {"201": {"$type": {"$ref": "#/$defs/Id", "$defs": {
       "Id": {"type": "object", "required": ["id"],
         "properties": {"id": {"type": "integer"}}}}}}}}]}]})";
  const Document before = parse_document("old.json", text);
  const auto after = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return ids(compare_documents(before, parse_document("new.json", changed)));
  };
  using Ids = std::vector<std::string>;
  CHECK(after(R"("labels")", R"("labels")").empty());
  CHECK(Json(after(R"(, {"$ref": "#/$defs/Cash"})", "")) ==
        Json(Ids{"request-discriminator-changed", "request-alternative-removed"}));
  CHECK(after(R"(, "cash": "#/$defs/Cash")", "") == Ids{"request-discriminator-changed"});
  CHECK(after(R"("propertyName": "kind")", R"("propertyName": "type")") ==
        Ids{"request-discriminator-changed"});
  CHECK(after("\"maxLength\": 9", "\"maxLength\": 8") == Ids{"request-length-tightened"});
  CHECK(after(R"("items": {"type": "string"})",
              R"("items": {"type": "string"}, "uniqueItems": true)") ==
        Ids{"request-constraint-added"});
  CHECK(after(R"({"id": {"type": "integer"}})", R"({"id": {"type": "string"}})") ==
        Ids{"response-type-changed"});
}

TEST_CASE("diff documents: the type of a response with an unknown status is compared") {
  const auto document = [](const char* type) {
    return Json::parse(
        std::string(R"({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": )"
                    R"({"/a": {"get": {"responses": {"2XX": {"description": "d", "content": )"
                    R"({"application/json": {"schema": {"type": ")") +
        type + R"("}}}}}}}}})");
  };
  CHECK(ids(compared(document("integer"), document("integer"))).empty());
  CHECK(ids(compared(document("integer"), document("string"))) ==
        std::vector<std::string>{"response-type-changed"});
}

TEST_CASE(
    "diff documents: several types are the same as alternatives of 3.0 and as a list of 3.1") {
  const auto document = [](const std::string& version, const std::string& schema) {
    return R"({"openapi": ")" + version + R"(", "paths": {"/a": {"get": {"responses": {"200":
      {"content": {"application/json": {"schema": {"properties": {"v": )" +
           schema + "}}}}}}}}}}";
  };
  const auto changes = [&](const std::string& before, const std::string& after) {
    auto found = ids(compare_documents(parse_document("old.json", document("3.0.3", before)),
                                       parse_document("new.json", document("3.1.0", after))));
    std::erase(found, "openapi-version-changed");
    return found;
  };
  const std::string types = R"({"anyOf": [{"type": "string"}, {"type": "integer"}]})";
  CHECK(changes(types, R"({"type": ["string", "integer"]})").empty());
  CHECK(changes(types, R"({"type": ["integer", "string"]})").empty());
  CHECK(changes(R"({"maxLength": 3, "anyOf": [{"type": "string", "nullable": true},
      {"type": "array", "nullable": true, "items": {"type": "integer"}}]})",
                R"({"type": ["string", "array", "null"], "maxLength": 3,
      "items": {"type": "integer"}})")
            .empty());
  CHECK_FALSE(changes(types, R"({"type": ["string", "boolean"]})").empty());
  CHECK_FALSE(changes(types, R"({"type": ["string", "integer", "null"]})").empty());
  // Other alternatives are no list of types.
  CHECK(changes(R"({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]})",
                R"({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]})")
            .empty());
}

TEST_CASE("diff documents: a manifest is not compared with a document") {
  const Document manifest = parse_document("m.json", R"({"version": 1, "files": []})");
  const Document document = parse_document("d.json", R"({"openapi": "3.0.3"})");
  CHECK_THROWS_WITH_AS(compare_documents(document, manifest),
                       "d.json is an OpenAPI document and m.json is a routes manifest: compare two "
                       "of a kind",
                       BadDocument);
  const Document metrics = parse_document("s.json", R"({"metrics": []})");
  CHECK_THROWS_WITH_AS(
      compare_documents(manifest, metrics),
      "m.json is a routes manifest and s.json is a list of metrics: compare two of "
      "a kind",
      BadDocument);
}

TEST_CASE("diff documents: webhooks and callbacks are compared in the reverse direction") {
  const auto document = [](const std::string& type) {
    return Json::parse(R"({"openapi": "3.1.0", "webhooks": {"paid": {"post": {"requestBody":
      {"content": {"application/json": {"schema": {"type": )" +
                       type + "}}}}}}}}");
  };
  using Ids = std::vector<std::string>;
  CHECK(ids(compared(document("\"integer\""), document("\"number\""))) ==
        Ids{"response-type-widened"});
  const auto calling = [](const std::string& type) {
    return Json::parse(R"({"openapi": "3.1.0", "paths": {"/a": {"post": {"callbacks": {"done":
      {"{$request.query.url}": {"post": {"responses": {"200": {"content": {"application/json":
      {"schema": {"type": )" +
                       type + "}}}}}}}}}}}}}");
  };
  const Changes changes = compared(calling("\"number\""), calling("\"integer\""));
  CHECK(ids(changes) == Ids{"request-type-narrowed"});
  CHECK(changes[0].location == "callback 'done' POST response 200");
}

TEST_CASE("diff documents: an operation that moved is found by its id") {
  const auto document = [](const std::string& path) {
    return Json{{"openapi", "3.1.0"}, {"paths", {{path, {{"get", {{"operationId", "list"}}}}}}}};
  };
  const Changes changes = compared(document("/a"), document("/b"));
  REQUIRE(ids(changes) == std::vector<std::string>{"operation-added", "operation-removed"});
  CHECK(changes[1].message ==
        "the operation was removed; the operation id 'list' now belongs to GET /b");
}

TEST_CASE(
    "diff documents: the items of streams in 3.2 are compared with the extensions before it") {
  const auto document = [](const char* version, const char* content) {
    Json root = Json::parse(R"({"info": {"title": "T", "version": "1"}})");
    root["openapi"] = version;
    root["paths"]["/a"]["get"]["responses"]["200"]["content"] = Json::parse(content);
    return root.dump();
  };
  const auto changes = [](const std::string& before, const std::string& after) {
    auto found = ids(
        compare_documents(parse_document("old.json", before), parse_document("new.json", after)));
    std::erase(found, "openapi-version-changed");
    return found;
  };
  const std::string old_events = document("3.1.0", R"({"text/event-stream": {
      "schema": {"type": "string"},
      "x-fw-events": {"created": {"type": "integer"}, "deleted": {"type": "string"}}}})");
  const auto new_events = [&](const char* type) {
    const std::string event = R"({"properties": {"event": {"const": "created"},
        "data": {"type": "string", "contentSchema": {"type": ")" +
                              std::string(type) + R"("}}}})";
    return std::string(R"({"text/event-stream": {"itemSchema": {"oneOf": [)") + event + R"(,
        {"properties": {"event": {"const": "deleted"},
                        "data": {"type": "string", "contentSchema": {"type": "string"}}}}]}}})";
  };
  using Ids = std::vector<std::string>;
  CHECK(changes(old_events, document("3.2.0", new_events("integer").c_str())) == Ids());
  CHECK(changes(old_events, document("3.2.0", new_events("number").c_str())) ==
        Ids{"response-type-widened"});
  const std::string old_lines = document("3.1.0", R"({"application/x-ndjson": {
      "schema": {"type": "string"}, "x-fw-lines": {"type": "integer"}}})");
  CHECK(changes(old_lines, document("3.2.0", R"({"application/x-ndjson": {
      "itemSchema": {"type": "integer"}}})")) == Ids());
  CHECK(changes(old_lines, document("3.2.0", R"({"application/x-ndjson": {
      "itemSchema": {"type": "string"}}})")) == Ids{"response-type-changed"});
  // References to the items, or to the event of an alternative.
  const auto referring = [&](const std::string& items, const std::string& type) {
    Json root = Json::parse(
        document("3.2.0", (R"({"text/event-stream": {"itemSchema": )" + items + "}}").c_str()));
    const auto event = [](const char* name, const std::string& data) {
      return Json::parse(R"({"properties": {"event": {"const": ")" + std::string(name) +
                         R"("}, "data": {"type": "string", "contentSchema": {"type": ")" + data +
                         R"("}}}})");
    };
    Json& schemas = root["components"]["schemas"];
    schemas["Created"] = event("created", type);
    schemas["Deleted"] = event("deleted", "string");
    schemas["Events"] = Json::parse(R"({"oneOf": [{"$ref": "#/components/schemas/Created"},
                                                  {"$ref": "#/components/schemas/Deleted"}]})");
    return root.dump();
  };
  const std::string whole = R"({"$ref": "#/components/schemas/Events"})";
  CHECK(changes(old_events, referring(whole, "integer")) == Ids());
  CHECK(changes(old_events, referring(whole, "number")) == Ids{"response-type-widened"});
  CHECK(changes(referring(whole, "integer"),
                referring(R"({"$ref": "#/components/schemas/Created"})", "integer")) ==
        Ids{"response-event-removed"});
}

TEST_CASE("diff documents: the encodings of all parts of a form are compared") {
  const auto document = [](const char* encoding) {
    return parse_document("a.json", R"({"openapi": "3.2.0", "paths": {"/a": {"post": {
      "requestBody": {"content": {"multipart/mixed": {)" +
                                        std::string(encoding) + "}}}}}}}");
  };
  const auto messages = [&](const char* before, const char* after) {
    std::string text;
    for (const Change& change : compare_documents(document(before), document(after))) {
      text += change.message + "\n";
    }
    return text;
  };
  CHECK(
      messages(R"("prefixEncoding": [{"contentType": "text/plain"}], "itemEncoding": {})",
               R"("prefixEncoding": [{"contentType": "text/csv"}],
                    "itemEncoding": {"contentType": "image/png"})") ==
      "prefixEncoding [{\"contentType\":\"text/plain\"}] became [{\"contentType\":\"text/csv\"}]\n"
      "itemEncoding {} became {\"contentType\":\"image/png\"}\n");
  CHECK(messages(R"("itemEncoding": {})", R"("itemEncoding": {})").empty());
}

TEST_CASE("diff documents: the additions of 3.2 are compared") {
  const auto document = [](const char* paths, const char* components = "{}") {
    Json root = Json::parse(R"({"openapi": "3.2.0", "info": {"title": "T", "version": "1"}})");
    root["paths"]["/a"] = Json::parse(paths);
    root["components"] = Json::parse(components);
    return parse_document("a.json", root.dump());
  };
  using Ids = std::vector<std::string>;
  constexpr const char* kGet = R"({"get": {"responses": {}}})";
  CHECK(ids(compare_documents(document(R"({"get": {"responses": {}}, "query": {"responses": {}}})"),
                              document(kGet))) == Ids{"operation-removed"});
  const auto removed = compare_documents(
      document(
          R"({"get": {"responses": {}}, "additionalOperations": {"COPY": {"responses": {}}}})"),
      document(kGet));
  REQUIRE(ids(removed) == Ids{"operation-removed"});
  CHECK(removed[0].method == "COPY");

  constexpr const char* kReference = R"({"get": {"responses": {"200": {"content": {
      "application/json": {"$ref": "#/components/mediaTypes/M"}}}}}})";
  CHECK(ids(compare_documents(
            document(kReference, R"({"mediaTypes": {"M": {"schema": {"type": "integer"}}}})"),
            document(kReference, R"({"mediaTypes": {"M": {"schema": {"type": "string"}}}})"))) ==
        Ids{"response-type-changed"});
  CHECK(
      ids(compare_documents(
          document(kReference, R"({"mediaTypes": {"M": {"itemSchema": {"type": "integer"}}}})"),
          document(kReference, R"({"mediaTypes": {"M": {"itemSchema": {"type": "string"}}}})"))) ==
      Ids{"response-type-changed"});

  const auto both = [&](const std::string& type) {
    return document((R"({"get": {"responses": {"200": {"content": {"application/x-ndjson": {
        "schema": {"type": ")" +
                     type + R"("}, "itemSchema": {"type": "integer"}}}}}}})")
                        .c_str());
  };
  CHECK(ids(compare_documents(both("integer"), both("string"))) == Ids{"response-type-changed"});

  CHECK_THROWS_WITH_AS(static_cast<void>(compare_documents(
                           document(R"({"move": {"responses": {}}})"), document(kGet))),
                       "a.json: /paths/~1a/move: is not a member of a path item", BadDocument);
}

TEST_CASE("diff documents: messages of sockets are compared by direction") {
  const auto document = [](const char* socket) {
    Json root = Json::parse(R"({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}})");
    Json& operation = root["paths"]["/a"]["get"];
    operation["responses"]["101"]["description"] = "Switching Protocols";
    operation["x-fw-socket"] = Json::parse(socket);
    return root.dump();
  };
  const auto changes = [&](const char* before, const char* after) {
    return ids(compare_documents(parse_document("old.json", document(before)),
                                 parse_document("new.json", document(after))));
  };
  using Ids = std::vector<std::string>;
  const char* const integer =
      R"({"receive": {"say": {"type": "object", "properties": {"n": {"type": "integer"}}}}, "send": {}})";
  const char* const number =
      R"({"receive": {"say": {"type": "object", "properties": {"n": {"type": "number"}}}}, "send": {}})";
  CHECK(changes(integer, integer) == Ids());
  CHECK(changes(integer, number) == Ids{"request-type-widened"});
  CHECK(changes(number, integer) == Ids{"request-type-narrowed"});
  const char* const sends_integer =
      R"({"send": {"said": {"type": "object", "properties": {"n": {"type": "integer"}}}}, "receive": {}})";
  const char* const sends_number =
      R"({"send": {"said": {"type": "object", "properties": {"n": {"type": "number"}}}}, "receive": {}})";
  CHECK(changes(sends_integer, sends_number) == Ids{"response-type-widened"});
  CHECK(changes(integer, sends_integer) ==
        Ids{"request-message-removed", "response-message-added"});
}

}  // namespace documents_test
