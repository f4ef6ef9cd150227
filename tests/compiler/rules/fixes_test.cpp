// Which findings carry a repair, and that no uncertain one does.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <utility>

#include "support/builders.hpp"

namespace fixes_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

/// "column-end text" of every repair of a route with these options, a line each. The erroneous part
/// is in line 9.
std::string fixes(model::Value written, const std::string& path = "/:userId") {
  const auto result =
      checked({route_file("routes/a.cpp", {route("POST", path, std::move(written))}),
               component_file("middlewares/audit-log.cpp", model::ExportKind::middleware),
               component_file("middlewares/limit-a.cpp", model::ExportKind::middleware),
               component_file("middlewares/limit-b.cpp", model::ExportKind::middleware)},
              {.name = "", .source_name = "src", .middlewares = {}});
  CHECK_FALSE(result.diagnostics.empty());
  std::string list;
  for (const model::Diagnostic& diagnostic : result.diagnostics) {
    for (const model::FixIt& fix : diagnostic.fixes) {
      CHECK(fix.range.line == 9);
      list += fmt::format("{}-{} {}\n", fix.range.column, fix.range.end_column, fix.text);
    }
  }
  return list;
}

model::Value at(std::string value) { return text_at(9, 20, std::move(value)); }

model::Value pair(model::Value name, model::Value value) {
  return list({std::move(name), std::move(value)});
}

std::string schema_fixes(const std::string& schema) {
  return fixes(options({{"validate", validate("body", {{"a", at(schema)}})}}));
}

}  // namespace

TEST_CASE("[bad-schema] a misspelled type, or the name in another language, is replaced") {
  CHECK(schema_fixes("strin") == "21-26 string\n");
  CHECK(schema_fixes("array<Integer>?") == "27-34 integer\n");
  CHECK(schema_fixes("bool") == "21-25 boolean\n");
  CHECK(schema_fixes("uuid[]") == "21-27 array<uuid>\n");
  CHECK(schema_fixes("timestamp").empty());
  CHECK(schema_fixes("money").empty());
  CHECK(schema_fixes("string:5-1").empty());
}

TEST_CASE("fixes: only text that is contiguous in the source is replaced") {
  // Places from a byte on moved by three columns, or only the end of that byte.
  const auto moved = [](std::size_t from, bool only_end) {
    auto value = at("strin");
    const model::ByteRanges places = std::exchange(value.bytes, {});
    for (std::size_t index = 0; index < places.size(); ++index) {
      model::Range place = places[index];
      if (only_end ? index == from : index >= from) place.end_column += 3;
      if (!only_end && index >= from) place.column += 3;
      value.bytes.push_back(place);
    }
    return value;
  };
  const auto split = moved(3, false);  // "str" "in"
  CHECK(fixes(options({{"validate", validate("body", {{"a", split}})}})).empty());
  const auto escaped = moved(0, true);  // "\x73trin"
  CHECK(fixes(options({{"validate", validate("body", {{"a", escaped}})}})).empty());
  CHECK(fixes(options({{"validate", validate("body", {{"a", text("strin")}})}})).empty());
}

TEST_CASE("[unknown-path-parameter] a single parameter with a similar name is suggested") {
  const auto with = [](std::vector<model::Value> fields) {
    model::Value validate_param = validate("param", {});
    validate_param.members[0].value.items = std::move(fields);
    return options({{"validate", std::move(validate_param)}});
  };
  CHECK(fixes(with({pair(at("userID"), text("uuid"))})) == "21-27 userId\n");
  CHECK(fixes(with({pair(at("id"), text("uuid"))})).empty());
  // It is declared already, or there are two.
  CHECK(
      fixes(with({pair(at("userID"), text("uuid")), pair(text("userId"), text("uuid"))})).empty());
  CHECK(fixes(with({pair(at("userIx"), text("uuid"))}), "/:userIa/:userIb").empty());
}

TEST_CASE("[unknown-middleware] a single middleware with a similar name is suggested") {
  const auto with = [](model::Value name) { return options({{"middlewares", list({name})}}); };
  CHECK(fixes(with(at("audit-logg"))) == "21-31 audit-log\n");
  CHECK(fixes(with(pair(at("auditlog"), entries({{"a", integer(1)}})))) == "21-29 audit-log\n");
  CHECK(fixes(with(at("limit-c"))).empty());
  CHECK(fixes(with(at("session"))).empty());
}

TEST_CASE("[bad-response-selector] the fix writes a family in lower case") {
  const auto with = [](std::vector<model::Value> entries) {
    return options({{"responses", list(std::move(entries))}});
  };
  CHECK(fixes(with({pair(at("2XX"), text("string"))})) == "21-24 2xx\n");
  CHECK(fixes(with({pair(at("2XX"), text("string")), pair(text("2xx"), text("string"))})).empty());
  CHECK(fixes(with({pair(at("20x"), text("string"))})).empty());
}

TEST_CASE("[conflicting-options] the fix writes cache methods in upper case") {
  const auto with = [](model::Value method) {
    return options({{"cache", record("RouteCacheOptions", {{"methods", list({method})}})}});
  };
  CHECK(fixes(with(at("get"))) == "21-24 GET\n");
  CHECK(fixes(with(at("fetch"))).empty());
}

TEST_CASE("[openapi-invalid] the fix adds x- to the name of an extension") {
  const auto with = [](std::vector<model::Value> entries) {
    return options({{"docs", record("Docs", {{"extensions", list(std::move(entries))}})}});
  };
  CHECK(fixes(with({pair(at("team"), text("a"))})) == "21-25 x-team\n");
  CHECK(fixes(with({pair(at("team"), text("a")), pair(text("x-team"), text("b"))})).empty());
}

TEST_CASE("[bad-route-path] the fix replaces a parameter in the syntax of another framework") {
  const auto repaired = [](const std::string& path) {
    auto registration = route("GET", path);
    registration.path_value = text_at(9, 20, path);
    const auto result = checked({route_file("routes/index.cpp", {std::move(registration)})});
    REQUIRE(result.diagnostics.size() == 1);
    const model::Diagnostic& found = result.diagnostics[0];
    CHECK(found.id == "bad-route-path");
    if (found.fixes.empty()) return found.help;
    const model::FixIt& fix = found.fixes[0];
    return fmt::format("{}-{} {}", fix.range.column, fix.range.end_column, fix.text);
  };
  CHECK(repaired("/users/{id}") == "28-32 :id");
  CHECK(repaired("/<id>/a") == "22-26 :id");
  CHECK(repaired("/<int:id>") == "22-30 :id");
  CHECK(repaired("/<int>") == "write ':name' for a parameter");
  CHECK(repaired("/{id:[0-9]+}") == "write ':id' for a parameter");
}

TEST_CASE("[bad-route-path] an invalid path does not hide other errors of its registration") {
  const auto result = checked({route_file(
      "routes/index.cpp",
      {route("POST", "/{id}",
             options({{"validate", record("Validate", {{"param", entries({{"id", text("uuid")}})},
                                                       {"body", entries({{"a", text("strng")}})}})},
                      {"middlewares", list({text("missing")})}}))})});
  std::string ids;
  for (const auto& diagnostic : result.diagnostics) ids += diagnostic.id + "\n";
  CHECK(ids.find("bad-route-path\n") != std::string::npos);
  CHECK(ids.find("bad-schema\n") != std::string::npos);
  CHECK(ids.find("unknown-middleware\n") != std::string::npos);
  CHECK(result.diagnostics.size() == 3);
}

}  // namespace fixes_test
