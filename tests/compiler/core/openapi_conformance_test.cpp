// The measured facts about the document, for the routes of the conformance cases.
#include <doctest/doctest.h>

#include <fstream>

#include "emit/openapi.hpp"
#include "support/builders.hpp"
#include "support/reference_options.hpp"

using namespace fairway;
using namespace fairway::testing;
using nlohmann::ordered_json;

namespace {

// A member that the expectation lists has that value; an object may have more members, and a list
// of parameters another order.
bool contains(const ordered_json& actual, const ordered_json& expected) {
  if (expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      if (!actual.is_object() || !actual.contains(key) || !contains(actual[key], value))
        return false;
    }
    return true;
  }
  if (expected.is_array() && !expected.empty() && expected[0].is_object()) {
    for (const ordered_json& item : expected) {
      const bool found = std::ranges::any_of(
          actual, [&](const ordered_json& candidate) { return contains(candidate, item); });
      if (!found) return false;
    }
    return true;
  }
  return actual == expected;
}

std::string documented_path(std::string path) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != ':' && path[i] != '*') {
      result += path[i];
      continue;
    }
    const std::size_t end = std::min(path.find('/', i), path.size());
    result += "{" + path.substr(i + 1, end - i - 1) + "}";
    i = end - 1;
  }
  return result;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// A schema may stand among the components.
ordered_json resolved(const ordered_json& document, const ordered_json& schema) {
  if (!schema.contains("$ref")) return schema;
  return document.at(ordered_json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
}

void compare(const ordered_json& document, const ordered_json& operation,
             const ordered_json& expected) {
  const ordered_json content = operation.value("requestBody", ordered_json::object())
                                   .value("content", ordered_json::object());
  for (const auto& [key, value] : expected.items()) {
    CAPTURE(key);
    if (key == "body_schema") {
      ordered_json schema = value;
      const auto body = resolved(document, content["application/json"]["schema"]);
      const auto required = body.value("required", ordered_json::array());
      const auto has = [&](const ordered_json& name) {
        return std::ranges::find(required, name) != required.end();
      };
      for (const auto& name : schema.value("required_includes", ordered_json::array()))
        CHECK(has(name));
      for (const auto& name : schema.value("required_excludes", ordered_json::array())) {
        CHECK_FALSE(has(name));
      }
      schema.erase("required_includes");
      schema.erase("required_excludes");
      CHECK(contains(body, schema));
    } else if (key == "first_media_type") {
      CHECK(content.items().begin().key() == value.get<std::string>());
    } else if (key == "multipart_schema") {
      CHECK(contains(resolved(document, content["multipart/form-data"]["schema"]), value));
    } else if (value == "<nonempty>") {
      CHECK((!operation[key].empty() && !operation[key][0].empty()));
    } else if (value == "<public>") {
      CHECK((operation[key].empty() || operation[key][0].empty()));
    } else if (key != "present") {
      CHECK(contains(operation.value(key, ordered_json()), value));
    }
  }
}

}  // namespace

TEST_CASE("the measured operations") {
  std::ifstream stream(FAIRWAY_CONFORMANCE_DIR "/openapi.json");
  if (!stream) {
    MESSAGE("skipped: no conformance cases in " FAIRWAY_CONFORMANCE_DIR);
    return;
  }
  const auto cases = ordered_json::parse(stream);
  const auto& group = cases["groups"]["full"];
  std::vector<model::Registration> registrations;
  for (const auto& entry : group["routes"]) {
    REQUIRE(entry["file"] == "src/routes/index.cpp");
    registrations.push_back(
        route(entry["method"], entry["path"],
              reference_options(entry.value("options", ordered_json::object()))));
  }
  std::vector<model::ParsedFile> files = {route_file("routes/index.cpp", registrations)};
  for (const std::string name : group["config"]["middlewares"]) {
    files.push_back(unit_file("middlewares/" + name + ".cpp", model::ExportKind::middleware));
  }
  const auto resolution = resolve(files);
  REQUIRE(summary(resolution.diagnostics) == "");
  const auto document = emit::openapi_document(
      resolution.application, {.guard_security = group["config"]["openapi"]["guardSecurityMap"]});

  int compared = 0;
  for (const auto& measured : cases["cases"]) {
    if (!measured["expect"].contains("operation")) continue;
    CAPTURE(measured["id"].get<std::string>());
    const auto& entry = group["routes"][measured["route"].get<std::size_t>()];
    const auto& expected = measured["expect"]["operation"];
    const auto item =
        document["paths"].value(documented_path(entry["path"]), ordered_json::object());
    const std::string method = lower(entry["method"]);
    CHECK(item.contains(method) == expected.value("present", true));
    if (item.contains(method)) compare(document, item[method], expected);
    ++compared;
  }
  CHECK(compared > 0);
}
