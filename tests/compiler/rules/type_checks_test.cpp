// The types of handlers: what they send, read and are named.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/builders.hpp"

namespace type_checks_test {

using namespace fairway;
using namespace fairway::testing;

TEST_CASE("[response-mismatch] a type is sent with a status that has a schema") {
  const auto with = [](Named route_options, int status, bool is_known = true) {
    auto registration = route("GET", "/", options(std::move(route_options)));
    model::SentResponse sent;
    sent.function = "json";
    sent.statuses = {status};
    sent.range = {.file = "src/routes/a.cpp", .line = 7, .column = 9};
    if (is_known) {
      sent.type.name = "::shop::Member";
      sent.type.schema =
          R"({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]})";
    }
    model::SentResponse error;
    error.function = "raise";
    error.statuses = {404};
    registration.handler.sent = {sent, error};
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      lines += fmt::format("{}: {}: {}; {}\n", each.range.line, each.id, each.message, each.help);
      CHECK(each.notes.size() == 1);
    }
    return lines;
  };
  const auto responses = [](const std::string& selector) {
    return Named{{"responses", entries({{selector, entries({{"id", text("integer")}})}})}};
  };
  const std::string error =
      "7: response-mismatch: status 201 has no schema in 'responses'; "
      "add '{\"201\", fw::type<shop::Member>}' to 'responses'\n";
  CHECK(with(responses("200"), 201) == error);
  CHECK(with(responses("4xx"), 201) == error);
  for (const char* selector : {"201", "2xx", "default"})
    CHECK(with(responses(selector), 201) == "");
  CHECK(with({}, 201) == "");
  CHECK(with({{"responses", entries({})}}, 201) == "");
  CHECK(with(responses("200"), 201, false) == "");
  const auto docs = [&](Named members) {
    Named all = responses("200");
    all.emplace_back("docs", record("Docs", std::move(members)));
    return all;
  };
  CHECK(with(docs({{"hidden", flag(true)}}), 201) == "");
  const auto documented = entries({{"201", record("ResponseDocs", {{"description", text("a")}})}});
  CHECK(with(docs({{"responses", documented}}), 201) == "");
  CHECK(with(docs({{"responses", documented}}), 202) != "");
}

TEST_CASE("[response-mismatch] null satisfies a schema only if it allows null") {
  const auto with = [](const std::string& selector, model::Value schema) {
    auto registration =
        route("GET", "/", options({{"responses", entries({{selector, std::move(schema)}})}}));
    model::SentResponse sent;
    sent.function = "json";
    sent.statuses = {200};
    sent.type.name = "::std::nullptr_t";
    sent.type.schema = R"({"type": "null"})";
    registration.handler.sent = {sent};
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      lines += fmt::format("{}: {}; {}\n", each.id, each.message, each.help);
    }
    return lines;
  };
  const auto mismatch = [](const std::string& type) {
    return fmt::format(
        "response-mismatch: the data of status 200 is of the type null, and the schema says {}; "
        "send what 'responses' declares, or declare what is sent\n",
        type);
  };
  CHECK(with("200", entries({{"id", text("integer")}})) == mismatch("object"));
  CHECK(with("200", text("string")) == mismatch("string"));
  CHECK(with("201", text("null")) ==
        "response-mismatch: status 200 has no schema in 'responses'; add '{\"200\", \"null\"}' to "
        "'responses'\n");
  for (const char* declared : {"null", "any"}) CHECK(with("200", text(declared)) == "");
}

TEST_CASE("[response-mismatch] no number is a date, and no date is an e-mail address") {
  const auto with = [](const std::string& declared, const std::string& sent_type) {
    auto registration = route(
        "GET", "/", options({{"responses", entries({{"200", entries({{"x", text(declared)}})}})}}));
    model::SentResponse sent;
    sent.function = "json";
    sent.statuses = {200};
    sent.type.name = "::Sent";
    sent.type.schema = fmt::format(
        R"({{"type": "object", "properties": {{"x": {}}}, "required": ["x"]}})", sent_type);
    registration.handler.sent = {sent};
    return summary(checked({route_file("routes/a.cpp", {registration})}).diagnostics);
  };
  const std::string integer = R"({"type": "integer"})";
  const std::string boolean = R"({"type": "boolean"})";
  const std::string date = R"({"type": "string", "format": "date"})";
  const std::string plain = R"({"type": "string"})";
  CHECK(with("date", integer)
            .find("the member 'x' of the data of status 200 is of the type "
                  "integer, and the schema says date") != std::string::npos);
  for (const char* declared :
       {"date", "datetime", "time", "email", "url", "uuid", "ipv4", "ipv6"}) {
    CHECK(with(declared, integer) != "");
    CHECK(with(declared, R"({"type": "number"})") != "");
    CHECK(with(declared, boolean) != "");
    CHECK(with(declared, plain) == "");
  }
  CHECK(with("email", date).find("is of the type date, and the schema says email") !=
        std::string::npos);
  CHECK(with("integer", date).find("is of the type date, and the schema says integer") !=
        std::string::npos);
  CHECK(with("date", date) == "");
  CHECK(with("string", date) == "");
  CHECK(with("string", integer) == "");
  CHECK(with("string", boolean) == "");
  // "true" and "1" are host names, and so is a date.
  for (const std::string& sent : {integer, boolean, date}) CHECK(with("hostname", sent) == "");
}

TEST_CASE("[conflicting-schema] a handler reads a part of the request as the declared type") {
  const auto type = [](const std::string& name) {
    model::Value value;
    value.kind = model::Value::Kind::call;
    value.text = "type";
    value.items = {text(name),
                   text(R"({"type": "object", "properties": {"x": {"type": "integer"}}})")};
    return value;
  };
  const auto with = [&](Named route_options, const std::string& location,
                        const std::string& parameter = "") {
    auto registration = route("POST", "/", options(std::move(route_options)));
    registration.handler.typed_reads = {
        {.location = location, .type = "::A", .range = {.file = "src/routes/a.cpp", .line = 7}}};
    if (!parameter.empty()) {
      model::TypeUse use{.name = parameter, .schema = R"({"type": "object", "properties": {}})"};
      registration.signature.inputs = {{"body", std::move(use), {}}};
    }
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      if (each.id != "conflicting-schema") continue;
      lines += fmt::format("{}: {}; {}\n", each.range.line, each.message, each.help);
    }
    return lines;
  };
  const auto declared = [&](const std::string& name) {
    return Named{{"validate", record("Validate", {{"body", type(name)}})}};
  };
  CHECK(with(declared("::B"), "body") ==
        "7: the handler reads the body as 'A', and the route declares it as 'B'; "
        "write 'req.valid<B>(fw::Location::body)', or declare 'A'\n");
  CHECK(with({}, "body") ==
        "7: the handler reads the body as 'A', which the route does not declare for it; "
        "write '.validate = {.body = fw::type<A>}'\n");
  CHECK(with(declared("::A"), "query") != "");
  CHECK(with({{"validate", validate("body", {{"x", text("integer")}})}}, "body") != "");
  CHECK(with({}, "body", "::B") != "");
  CHECK(with(declared("::A"), "body") == "");
  CHECK(with({}, "body", "::A") == "");
}

TEST_CASE("[response-mismatch] a status that the handler sets is not the one of its result") {
  const auto with = [](std::vector<model::TypedResult> results, int status, bool is_left = true) {
    auto registration = route("GET", "/", options({}));
    registration.signature.results = std::move(results);
    registration.handler.statuses = {
        {.status = status, .range = {.file = "src/routes/a.cpp", .line = 7}, .is_left = is_left}};
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      lines += fmt::format("{}: {}; {}\n", each.id, each.message, each.help);
    }
    return lines;
  };
  const auto result = [](int status, const std::string& name) {
    model::TypedResult made;
    made.status = status;
    made.type.name = name;
    made.type.schema = "{}";
    return made;
  };
  const std::string name = "::shop::Item";
  CHECK(with({result(200, name)}, 201) ==
        "response-mismatch: the handler sets status 201, and its result is sent with status 200; "
        "return 'fw::Created<shop::Item>', or send the response with 'res.json'\n");
  CHECK(with({result(201, name)}, 202)
            .ends_with("return 'fw::Accepted<shop::Item>', or send the "
                       "response with 'res.json'\n"));
  CHECK(with({result(200, name)}, 204).find("return 'fw::NoContent'") != std::string::npos);
  CHECK(with({result(204, "")}, 409).find("return 'fw::Status<409>'") != std::string::npos);
  CHECK(with({result(200, name), result(404, "")}, 409) ==
        "response-mismatch: the handler sets status 409, and its result has a status of its own; "
        "return 'fw::Status<409, shop::Item>', or send the response with 'res.json'\n");
  CHECK(with({result(200, name)}, 201, false).empty());
  CHECK(with({result(200, name)}, 200).empty());
  CHECK(with({result(200, name), result(404, "")}, 404).empty());
  CHECK(with({}, 201).empty());
}

TEST_CASE("[same-name-types] a type is one type in all route files") {
  const auto found = [](const std::string& name, unsigned line, const std::string& schema,
                        const std::string& location = "body",
                        const std::string& header = "item.hpp") {
    std::vector<model::ParsedFile> files;
    for (const char* path : {"routes/a.cpp", "routes/b.cpp"}) {
      const bool is_first = files.empty();
      model::CppType type;
      type.name = is_first ? "::shop::Item" : name;
      type.component = "Item";
      type.header = header;
      auto registration = route("POST", "/");
      registration.signature.inputs.push_back(
          {.location = location,
           .type = {.name = type.name, .schema = R"({"type": "object"})", .types = {type.name}},
           .range = {}});
      auto& file = files.emplace_back(route_file(path, {registration}));
      file.generated_includes = {{is_first ? "a.routes.hpp" : "b.routes.hpp", {}}};
      type.schema = is_first ? R"({"type": "object"})" : schema;
      type.range = {.file = "src/item.hpp", .line = is_first ? 3 : line, .column = 8};
      file.types.push_back(std::move(type));
    }
    std::string lines;
    for (const auto& each : checked(files).diagnostics) {
      lines += fmt::format("{}: {}: {}\n", each.range.line, each.id, each.message);
    }
    return lines;
  };
  CHECK(found("::shop::Item", 3, R"({"type": "object"})") == "");
  CHECK(found("::billing::Item", 9, R"({"type": "object"})") ==
        "9: same-name-types: two types have the name 'Item' in the document\n");
  // A macro that the route files define differently.
  CHECK(found("::shop::Item", 3, R"({"type": "object", "properties": {"id": {}}})") ==
        "3: same-name-types: the type 'Item' is another one in 'routes/b.cpp' than in "
        "'routes/a.cpp'\n");
  // A struct whose members are parameters has no name in the document. In headers, its code needs
  // another name in C++.
  CHECK(found("::billing::Item", 9, "{}", "query") == "");
  CHECK(found("::shop::Item", 9, "{}", "query", "") == "");
  CHECK(found("::shop::Item", 9, "{}", "query") != "");
}

TEST_CASE("[response-mismatch] shapes that certainly differ") {
  // The errors of a handler that sends a type with one of the statuses. `declared`: of status 200.
  const auto with = [](model::Value declared, const std::string& sent_type,
                       std::vector<int> statuses = {200}) {
    auto registration =
        route("GET", "/", options({{"responses", entries({{"200", std::move(declared)}})}}));
    model::SentResponse sent;
    sent.function = "json";
    sent.statuses = std::move(statuses);
    sent.type = {.name = "::shop::Sent", .schema = sent_type};
    registration.handler.sent = {sent};
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      lines += fmt::format("{}: {}\n", each.id, each.message);
    }
    return lines;
  };
  const auto json_schema = [](const std::string& schema) {
    return call("json_schema", {text(schema)});
  };
  const auto type = [](const std::string& schema) {
    return call("type", {text("::shop::Declared"), text(schema)});
  };
  const std::string member =
      R"({"type": "object", "properties": {"id": {"type": "integer"}, "at": {"type": "array", )"
      R"("items": {"type": "string"}}}, "required": ["id"]})";
  const std::string counts = R"({"type": "object", "additionalProperties": {"type": "integer"}})";
  const std::string lists =
      R"({"type": "object", "additionalProperties": {"type": "array", "items": {}}})";

  CHECK(with(entries({{"id", text("integer")}, {"name", text("string")}}), member) ==
        "response-mismatch: the member 'name' of the data of status 200 is missing\n");
  CHECK(with(entries({{"id", text("array")}}), member) ==
        "response-mismatch: the member 'id' of the data of status 200 is of the type integer, and "
        "the schema says array\n");
  CHECK(with(entries({{"id", text("string")}, {"name", text("string?")}}), member).empty());

  // Texts of which none is a number or a boolean, and the other way round.
  const auto one = [](const std::string& schema) {
    return R"({"type": "object", "properties": {"x": )" + schema + R"(}, "required": ["x"]})";
  };
  const auto fits = [&](const std::string& declared, const std::string& sent) {
    return with(entries({{"x", text(declared)}}), one(sent)).empty();
  };
  CHECK_FALSE(fits("integer", R"({"type": "string", "format": "date"})"));
  CHECK_FALSE(fits("boolean", R"({"type": "string", "enum": ["a", "b"]})"));
  CHECK_FALSE(fits("number", R"({"type": "string", "enum": ["a", "b"]})"));
  CHECK_FALSE(fits("enum:a,b", R"({"type": "integer"})"));
  CHECK_FALSE(fits("enum:1,2", R"({"type": "boolean"})"));
  CHECK(fits("integer", R"({"type": "string", "enum": ["a", "7"]})"));
  CHECK(fits("boolean", R"({"type": "string", "enum": ["true", "a"]})"));
  CHECK(fits("enum:1,2", R"({"type": "integer"})"));
  CHECK(fits("integer", R"({"type": "string"})"));
  CHECK(fits("string", R"({"type": "integer"})"));

  // The values of a map, and the members that a struct always has.
  CHECK(with(type(lists), member) ==
        "response-mismatch: the member 'id' of the data of status 200 is of the type integer, and "
        "the schema says array\n");
  CHECK(with(type(counts), member).empty());
  CHECK(with(type(lists), counts) ==
        "response-mismatch: the data of status 200 is of the type integer, and the schema says "
        "array\n");
  CHECK(with(type(counts), counts).empty());
  CHECK(with(entries({{"id", text("array")}}), counts) ==
        "response-mismatch: the member 'id' of the data of status 200 is of the type integer, and "
        "the schema says array\n");
  CHECK(with(entries({{"id", text("array?")}, {"count", text("integer")}}), counts).empty());

  // A JSON Schema, if types have its keywords.
  CHECK(with(json_schema(R"({"type": "object", "required": ["name"], "properties": {"name": {}}})"),
             member) ==
        "response-mismatch: the member 'name' of the data of status 200 is missing\n");
  CHECK(with(json_schema(R"({"type": "object", "not": {"required": ["id"]}})"), member).empty());

  // Not every status that the handler may have set.
  CHECK(with(entries({{"name", text("string")}}), member, {200, 404}) ==
        "response-mismatch: status 404 has no schema in 'responses'\n");
}

}  // namespace type_checks_test
