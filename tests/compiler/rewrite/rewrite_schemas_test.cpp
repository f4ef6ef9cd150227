// Schema maps become structs; what is not certain stays.
#include "rewrite/rewrite_schemas.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

#include "emit/application_files.hpp"
#include "frontend/caching_parser.hpp"
#include "rules/check.hpp"
#include "temporary_directory.hpp"

namespace rewrite_schemas_test {

using namespace fairway;
using rewrite::RewrittenFile;
using rewrite::SchemaId;

namespace {

struct Setting {
  std::map<SchemaId, std::string> excluded = {};
  std::map<std::string, std::string> users = {};
  model::JsonNames json_names = model::JsonNames::as_written;
};

/// The rewritten routes/users.cpp.
RewrittenFile rewritten(const std::string& text, const Setting& setting = {}) {
  const test::TemporaryDirectory directory;
  directory.write("routes/users.cpp", text);
  directory.write("store.hpp", "");
  const auto flags =
      frontend::fixed_flags({"-std=c++20", "-I" FAIRWAY_INCLUDE_DIR}, "")->flags_for("");
  // The framework's header is compiled once for all tests.
  static const test::TemporaryDirectory cache;
  static frontend::CachingParser parser(cache.path(), {.uses_results = false});
  const model::ParsedFile file =
      parser
          .parse(
              {.source_dir = directory.path().string(), .path = "routes/users.cpp", .flags = flags})
          .file;
  const auto checked = rules::check({file}, {.name = "", .source_name = "src", .middlewares = {}},
                                    emit::generated_code());
  for (const model::Diagnostic& each : checked.diagnostics) {
    if (each.severity == model::Severity::error) FAIL_CHECK(each.message);
  }
  const model::RouteFile& routes = checked.application.files.at(0);
  return rewrite::rewrite_schemas(
      {.file = file,
       .routes = routes,
       .text = text,
       .route_types = emit::generated_code().header_types(checked.application, routes).routes,
       .taken = {"Taken"},
       .users = setting.users,
       .json_names = setting.json_names},
      setting.excluded);
}

/// A route file with one route.
std::string with_route(const std::string& options, const std::string& before = "",
                       const std::string& handler = "[](fw::Request&, fw::Response&) {}") {
  return "#include <fairway/fairway.hpp>\n\n#include \"users.routes.hpp\"\n\n" + before +
         "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n  app.post(\"/\", {" +
         options + ", .docs = {.operation_id = \"createUser\"}},\n           " + handler +
         ");\n});\n";
}

/// The struct of the body with these fields.
std::string struct_of(const std::string& fields, const Setting& setting = {}) {
  const RewrittenFile file =
      rewritten(with_route(".validate = {.body = {" + fields + "}}"), setting);
  if (!file.left_alone.empty()) return file.left_alone.front().reason;
  const auto begin = file.text.find("namespace {\n\n") + 13;
  return file.text.substr(begin, file.text.find("\n}  // namespace") - begin);
}

std::string reason(const std::string& text, const Setting& setting = {}) {
  const RewrittenFile file = rewritten(text, setting);
  if (file.left_alone.size() != 1) return "";
  CHECK(file.schemas.empty());
  CHECK(file.text == text);
  return file.left_alone.front().reason;
}

}  // namespace

TEST_CASE("rewrite-schemas: a schema map becomes a struct with the same rules") {
  CHECK(struct_of(R"({"name", "string:1-50"}, {"email", "email"}, {"age", "integer:0-?"})") ==
        "struct CreateUserBody {\n"
        "  fw::Field<\"string:1-50\"> name;\n"
        "  fw::Field<\"email\"> email;\n"
        "  std::optional<fw::Field<\"integer:0-\">> age;\n"
        "};\n");
  CHECK(struct_of(R"({"a", "string"}, {"b", "integer"}, {"c", "number"}, {"d", "boolean"},
                     {"e", "any"}, {"f", "array<string>"}, {"g", "object"}, {"h", "array"})") ==
        "struct CreateUserBody {\n"
        "  std::string a;\n"
        "  std::int64_t b;\n"
        "  double c;\n"
        "  bool d;\n"
        "  fw::Json e;\n"
        "  std::vector<std::string> f;\n"
        "  fw::Field<\"object\"> g;\n"
        "  fw::Field<\"array\"> h;\n"
        "};\n");
  CHECK(struct_of(R"({"level", "enum:low,high=low"}, {"limit", "integer:1-100=20"},
                     {"code", "string:/^[a-z\"]+$/"}, {"tags", "array<string:1-9>:1-5?"})") ==
        "struct CreateUserBody {\n"
        "  fw::Field<\"enum:low,high=low\"> level;\n"
        "  fw::Field<\"integer:1-100=20\"> limit;\n"
        "  fw::Field<\"string:/^[a-z\\\"]+$/\"> code;\n"
        "  std::optional<fw::Field<\"array<string:1-9>:1-5\">> tags;\n"
        "};\n");
}

TEST_CASE(
    "rewrite-schemas: nested objects and arrays have structs of their own, equal ones share one") {
  CHECK(struct_of(R"({"home", {{"city", "string"}}}, {"work", fw::optional({{"city", "string"}})},
                     {"items", fw::array_of({{"id", "uuid"}})})") ==
        "struct CreateUserBodyHome {\n  std::string city;\n};\n\n"
        "struct CreateUserBodyItemsItem {\n  fw::Field<\"uuid\"> id;\n};\n\n"
        "struct CreateUserBody {\n"
        "  CreateUserBodyHome home;\n"
        "  std::optional<CreateUserBodyHome> work;\n"
        "  std::vector<CreateUserBodyItemsItem> items;\n"
        "};\n");
}

TEST_CASE("rewrite-schemas: names that C++ does not have are renamed with FW_JSON") {
  CHECK(struct_of(R"({"first-name", "string"}, {"class", "string"}, {"age", "integer"})") ==
        "struct CreateUserBody {\n"
        "  std::string first_name;\n"
        "  std::string class_;\n"
        "  std::int64_t age;\n"
        "  FW_JSON(CreateUserBody, (first_name, \"first-name\"), (class_, \"class\"), age)\n"
        "};\n");
  // With JSON_NAMES camelCase, a name with an underscore would be another one.
  CHECK(struct_of(R"({"first_name", "string"})").find("FW_JSON") == std::string::npos);
  CHECK(struct_of(R"({"first_name", "string"})", {.json_names = model::JsonNames::camel_case})
            .find("FW_JSON(CreateUserBody, first_name)") != std::string::npos);
}

TEST_CASE("rewrite-schemas: descriptions are comments") {
  CHECK(
      struct_of(
          R"({"name", fw::schema_adapter::compile_field("string?").description("As it is called")})") ==
      "struct CreateUserBody {\n  /// As it is called\n  std::optional<std::string> name;\n};\n");
  CHECK(struct_of(R"({"name", fw::schema_adapter::compile_field("string").description("a\\b")})") ==
        "a comment cannot say \"a\\b\"");
}

TEST_CASE("rewrite-schemas: locations and responses, and the handler that uses them") {
  const RewrittenFile file = rewritten(
      "#include <fairway/fairway.hpp>\n\n"
      "#include <string>\n\n"
      "#include \"../store.hpp\"\n"
      "#include \"users.routes.hpp\"\n\n"
      "namespace {\n\n"
      "constexpr int kLimit = 5;\n\n"
      "}  // namespace\n\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
      "  app.get(\"/:id\", {.validate = {.param = {{\"id\", \"uuid\"}}, .query = {{\"q\", "
      "\"string?\"}}},\n"
      "                   .responses = {{\"200\", {{\"id\", \"uuid\"}}},\n"
      "                                 {\"404\", fw::array_of({{\"why\", \"string\"}})}},\n"
      "                   .docs = {.operation_id = \"readUser\"}},\n"
      "          [](fw::Request& req, fw::Response& res) {\n"
      "            const auto& param = req.valid<routes::users::ReadUser::Param>();\n"
      "            const routes::users::ReadUser::Query query = req.valid< "
      "::routes::users::ReadUser::Query >();\n"
      "            res.json({{\"id\", param.id}});\n"
      "          });\n"
      "});\n");
  CHECK(file.left_alone.empty());
  CHECK(file.schemas.size() == 4);
  CHECK(file.structs == 3);
  CHECK(
      file.text ==
      "#include <fairway/fairway.hpp>\n\n"
      "#include <optional>\n"
      "#include <string>\n"
      "#include <vector>\n\n"
      "#include \"../store.hpp\"\n"
      "#include \"users.routes.hpp\"\n\n"
      "namespace {\n\n"
      "struct ReadUserParam {\n  fw::Field<\"uuid\"> id;\n};\n\n"
      "struct ReadUserQuery {\n  std::optional<std::string> q;\n};\n\n"
      "struct ReadUserResponse404Item {\n  std::string why;\n};\n\n"
      "constexpr int kLimit = 5;\n\n"
      "}  // namespace\n\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
      "  app.get(\"/:id\", {.validate = {.param = fw::type<ReadUserParam>, .query = "
      "fw::type<ReadUserQuery>},\n"
      "                   .responses = {{\"200\", fw::type<ReadUserParam>},\n"
      "                                 {\"404\", "
      "fw::type<std::vector<ReadUserResponse404Item>>}},\n"
      "                   .docs = {.operation_id = \"readUser\"}},\n"
      "          [](fw::Request& req, fw::Response& res) {\n"
      "            const auto& param = req.valid<ReadUserParam>(fw::Location::param);\n"
      "            const ReadUserQuery query = req.valid< ::ReadUserQuery >(fw::Location::query);\n"
      "            res.json({{\"id\", param.id}});\n"
      "          });\n"
      "});\n");
}

TEST_CASE("rewrite-schemas: missing headers are included") {
  const std::string body = R"(.validate = {.body = {{"n", "integer?"}}})";
  const std::string text =
      rewritten(
          "#include <fairway/fairway.hpp>\n\nFW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& "
          "app) {\n"
          "  app.post(\"/\", {" +
          body +
          ", .docs = {.operation_id = \"create\"}}, [](fw::Request&, fw::Response&) {});\n});\n")
          .text;
  CHECK(text.starts_with(
      "#include <fairway/fairway.hpp>\n\n#include <cstdint>\n#include <optional>\n\n"
      "#include \"users.routes.hpp\"\n\nnamespace {\n\nstruct CreateBody {\n"));
  // Not beside an include of another kind.
  std::string dense = with_route(body);
  dense.erase(dense.find("\n\n"), 1);
  CHECK(rewritten(dense).text.starts_with(
      "#include <fairway/fairway.hpp>\n\n#include <cstdint>\n#include <optional>\n\n"
      "#include \"users.routes.hpp\"\n\nnamespace {\n\n"));
  // With the line ends of the file.
  std::string crlf;
  for (const char c : with_route(body)) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string result = rewritten(crlf).text;
  CHECK(result.find("struct CreateUserBody {\r\n") != std::string::npos);
  for (std::size_t at = result.find('\n'); at != std::string::npos;
       at = result.find('\n', at + 1)) {
    REQUIRE(result[at - 1] == '\r');
  }
}

TEST_CASE("rewrite-schemas: schemas that are not literal stay") {
  const std::string constant = "const fw::SchemaMap kBody = {{\"name\", \"string\"}};\n";
  CHECK(reason(with_route(".validate = {.body = kBody}", constant)) == "it is declared in line 5");
  CHECK(reason(with_route(R"(.validate = {.body = {{"name", kName}}})",
                          "constexpr const char* kName = \"string\";\n")) ==
        "it is computed, with 'kName'");
  CHECK(reason(with_route(R"(.validate = {.body = {{"name", "string"}  // shown
           }})")) == "it contains a comment");
  CHECK(reason(with_route(".responses = {{\"200\", fw::json_schema(\"true\")}}")) ==
        "it is a JSON Schema");
  CHECK(reason(with_route(R"(.validate = {.header = {{"X-Team", "string"}}})")) ==
        "names of header fields in a type must be in lower case");
  // An fw::Field checks the value that it is made from.
  CHECK(reason(with_route(
            R"(.validate = {.body = {{"note", "string:1-9?"}}})", "",
            "[](fw::Request& req, fw::Response& res) {\n"
            "  res.json(req.valid<routes::users::CreateUser::Body>().note.value_or(\"\"));\n}")) ==
        "'note.value_or' would apply its rules to the default");
  CHECK(reason(with_route(R"(.validate = {.body = {{"name", "string"}}})",
                          "struct CreateUserBody;\n")) ==
        "'CreateUserBody' is already the name of something else");
}

TEST_CASE("rewrite-schemas: schemas whose generated types have other uses stay") {
  const std::string body = R"(.validate = {.body = {{"home", {{"city", "string"}}}}})";
  const auto with_use = [&](const std::string& use) {
    return reason(with_route(body, "", "[](fw::Request& req, fw::Response&) { " + use + " }"));
  };
  CHECK(with_use("const routes::users::CreateUser::Body::Home* home = nullptr;") ==
        "'routes::users::CreateUser::Body::Home' is named in line 7");
  CHECK(with_use("using Types = routes::users::CreateUser;") ==
        "'routes::users::CreateUser' is named in line 7");
  CHECK(with_use("auto body = req.valid<routes::users::CreateUser::Body>( /* all */ 1);") ==
        "'req.valid' has another form in line 7");
  const std::string text = with_route(body);
  CHECK(reason(text, {.users = {{"src/a.hpp", "using B = routes::users::CreateUser::Body;"}}}) ==
        "'src/a.hpp' uses the generated types of the route");
  CHECK(reason(text, {.users = {{"src/a.hpp", "using B = routes::users::CreateUsers::Body;"}}}) ==
        "");
  CHECK(reason(text, {.excluded = {{{0, "validate.body"}, "of a reason"}}}) == "of a reason");
}

TEST_CASE("rewrite-schemas: types are not touched") {
  const RewrittenFile file = rewritten(
      with_route(".validate = {.body = fw::type<Body>}", "struct Body {\n  int id;\n};\n"));
  CHECK(file.schemas.empty());
  CHECK(file.left_alone.empty());
}

}  // namespace rewrite_schemas_test
