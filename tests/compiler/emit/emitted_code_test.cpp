// The output of the emitters for an application full of difficult names. It is in golden/,
// where they are compiled with the warnings of the project.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "emit/application_files.hpp"
#include "emit/openapi.hpp"
#include "model/cpp_names.hpp"
#include "support/builders.hpp"
#include "support/golden.hpp"

namespace emitted_code_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

model::Value difficult_options() {
  model::Value described = call("compile_field", {text("string?")});
  described.members.push_back({"description", text("First line\nand a backslash \\"), {}});
  const auto address =
      entries({{"address", entries({{"city", text("string")}})}, {"Address", text("integer?")}});
  return options({
      {"validate",
       record(
           "Validate",
           {{"param", entries({{"id", text("integer:1-")}})},
            {"query", entries({{"sort", text("enum:asc,desc?")}, {"limit", text("number?")}})},
            {"header", entries({{"X-Trace-Id", text("uuid?")}})},
            {"cookie", entries({{"class", text("string")}})},
            {"body", entries({{"name", described},
                              {"address", address},
                              {"tags", call("array_of", {entries({{"key", text("string")},
                                                                  {"kind", text("enum:a,b")}})})},
                              {"codes", text("array<enum:x,y>?")},
                              {"flags", text("array<boolean>")},
                              {"matrix", text("array<array<integer>>?")},
                              {"things", text("array")},
                              {"state", text("enum:in-progress,default,1st,NULL,EAGAIN,INT_MAX,"
                                             "SIGINT,\u00e9t\u00e9")},
                              {"Body", entries({{"Body", text("boolean")}})},
                              {"State", text("any?")},
                              {"linux", text("object")},
                              {"to_string", text("null?")},
                              {"json", text("string")},
                              {"value", text("string")},
                              {"kLocation", text("string?")},
                              {"a b", text("string")},
                              {"CHAR_BIT", text("integer?")},
                              {"na\xC3\xAFve", text("datetime")},
                              {"quote\"", text("string?")}})}})},
      {"responses", entries({{"200", entries({{"id", text("integer")}, {"at", text("date?")}})},
                             {"201", call("array_of", {entries({{"id", text("integer")}})})},
                             {"202", text("enum:on,off")},
                             {"404", text("string")},
                             {"5xx", call("json_schema", {text("true")})},
                             {"default", text("array<string>")}})},
      {"docs", record("Docs", {{"operation_id", text("create-user.v2")},
                               {"summary", text("Create\na user \\")}})},
  });
}

/// A body whose every type can be read without a JSON tree.
model::Value plain_body() {
  const auto address = entries({{"city", text("string:1-20")}, {"zip", text("string?")}});
  return validate(
      "body", {{"id", text("uuid")},
               {"email", text("email")},
               {"count", text("integer:1-100")},
               {"ratio", text("number:-0.5-1000?")},
               {"active", text("boolean")},
               {"state", text("enum:open,in-progress,\xC3\xBC")},
               {"name", text("string:1-10")},
               {"tags", text("array<string:-5>:-3?")},
               {"flags", text("array<boolean>")},
               {"matrix", text("array<array<integer>>?")},
               {"address", address},
               {"former", call("optional", {address})},
               {"stops",
                call("array_of", {entries({{"at", text("datetime")}, {"price", text("number")}})})},
               {"site", text("url?")},
               {"day", text("date?")},
               {"clock", text("time?")},
               {"v4", text("ipv4?")},
               {"v6", text("ipv6?")},
               {"host", text("hostname?")},
               {"gr\xC3\xB6\xC3\x9F"
                "e",
                text("integer?")}});
}

model::Value plain_query() {
  return validate("query", {{"name", text("string:1-3")},
                            {"page", text("integer:0-50?")},
                            {"ratio", text("number:-1-1000?")},
                            {"all", text("boolean?")},
                            {"order", text("enum:asc,desc?")},
                            {"state", text("enum:open,in-progress,\xC3\xBC?")},
                            {"day", text("date?")}});
}

/// Responses that can be written without a JSON tree, and some that cannot.
model::Value plain_responses() {
  return entries(
      {{"200", entries({{"note", text("string?")},
                        {"id", text("integer")},
                        {"ratio", text("number?")},
                        {"ok", text("boolean")},
                        {"state", text("enum:open,\"quoted\"")},
                        {"items", call("array_of", {entries({{"name", text("string?")}})})},
                        {"matrix", text("array<array<integer>>")},
                        {"where", entries({{"city", text("string")}})}})},
       {"2xx", call("array_of", {entries({{"id", text("integer")}})})},
       {"404", entries({{"details", text("any")}})},
       {"default", text("string")}});
}

model::Application application(const std::string& name) {
  const auto place = entries({{"city", text("string")}});  // within a response of plain.cpp, too
  const auto resolution = checked(
      {route_file("routes/users.cpp",
                  {route("POST", "/:id", difficult_options()), route("GET", "/"),
                   route("GET", "/admin",
                         options({{"docs", record("Docs", {{"operation_id", text("admin")}})},
                                  {"responses", entries({{"200", text("string")}})}}))}),
       route_file("routes/users/Admin.cpp", {}),
       reexport_file("routes/std/2fa.cpp", "../people.cpp"),
       route_file("routes/people.cpp",
                  {route("GET", "/me",
                         options({{"validate", validate("query", {{"q", text("string")}})}}))}),
       route_file("routes/plain.cpp",
                  {route("GET", "/", options({{"validate", plain_query()}})),
                   route("POST", "/",
                         options({{"validate", plain_body()}, {"responses", plain_responses()}})),
                   route("PUT", "/:id",
                         options({{"validate", validate("body", {{"city", text("string:1-20")},
                                                                 {"zip", text("string?")}})},
                                  {"responses", entries({{"200", place}})}}))}),
       component_file("middlewares/audit-log.cpp", model::ExportKind::middleware),
       component_file("plugins/db.cpp", model::ExportKind::plugin)},
      {.name = name, .source_name = "src", .middlewares = {}});
  REQUIRE(summary(resolution.diagnostics) == "");
  return resolution.application;
}

std::string same_as_golden(const std::string& path, const std::string& actual) {
  const std::string difference = golden_difference(path, actual);
  return difference.empty() ? "same" : difference;
}

}  // namespace

TEST_CASE("emitted code: the readers of a struct without members have no unused parameters") {
  model::Application application;
  application.source_name = "src";
  application.types.push_back({.type = {.name = "::shop::Empty",
                                        .component = "Empty",
                                        .header = "shop.hpp",
                                        .is_flat = true,
                                        .members = {},
                                        .schema = "{}"},
                               .file = "",
                               .is_input = true});
  const std::string code = emit::emit_types(application);
  CHECK(code.find("read(fw::detail::JsonReader& in, T&)") != std::string::npos);
  CHECK(code.find("read(fw::detail::FieldReader&, T&)") != std::string::npos);
}

TEST_CASE("emitted types: the structs of each route file match the golden files") {
  const auto app = application("");
  for (const auto& file : app.files) {
    const std::string path = model::routes_header_path(file.path);
    CAPTURE(path);
    const auto types = emit::emit_route_types(app, file);
    CHECK(same_as_golden("include/" + path, types.header) == "same");
    CHECK(same_as_golden(emit::routes_source_path(file), types.source) == "same");
  }
  CHECK(model::routes_header_path(app.files[2].path) == "fairway/routes/std/2fa.routes.hpp");
  CHECK(emit::routes_source_path(app.files[2]) == "routes/std/2fa.routes.cpp");
}

TEST_CASE("emitted types: optional objects and arrays are optional members") {
  const auto city = entries({{"city", text("string")}});
  const auto body = validate("body", {{"address", call("optional", {city})},
                                      {"stops", call("optional", {call("array_of", {city})})}});
  const auto app =
      checked({route_file("routes/trips.cpp", {route("POST", "/", options({{"validate", body}}))})})
          .application;
  const std::string header = emit::emit_route_types(app, app.files.at(0)).header;
  CHECK(header.find("std::optional<Address> address = {};") != std::string::npos);
  CHECK(header.find("std::optional<std::vector<StopsItem>> stops = {};") != std::string::npos);
}

TEST_CASE("emitted types: a schema within another one has the struct of an equal one") {
  const auto issue = entries({{"id", text("integer")}, {"state", text("enum:open,closed")}});
  const auto responds = [&](const char* method, const char* path, const char* id,
                            const model::Value& schema) {
    return route(method, path,
                 options({{"responses", entries({{"200", schema}})},
                          {"docs", record("Docs", {{"operation_id", text(id)}})}}));
  };
  const auto page = entries({{"items", call("array_of", {issue})}, {"total", text("integer")}});
  const auto header = [&](const std::vector<model::Registration>& routes) {
    const auto app = checked({route_file("routes/issues.cpp", routes)}).application;
    return emit::emit_route_types(app, app.files.at(0)).header;
  };
  const auto has = [](const std::string& all, const std::string& line) {
    return all.find(line) != std::string::npos;
  };

  SUBCASE("that two routes share") {
    const std::string all = header({responds("GET", "/", "listIssues", page),
                                    responds("GET", "/:id", "getIssue", issue),
                                    responds("PUT", "/:id", "updateIssue", issue)});
    CHECK(has(all, "struct Issue {"));
    CHECK(has(all, "using ItemsItem = ::routes::issues::Issue;"));
    CHECK(has(all, "std::vector<ItemsItem> items = {};"));
  }
  SUBCASE("of one route, declared before both") {
    const std::string all = header(
        {responds("GET", "/", "listIssues", page), responds("GET", "/:id", "getIssue", issue)});
    CHECK(has(all, "using ItemsItem = ::routes::issues::GetIssueResponse200;"));
    CHECK(has(all, "using Response200 = GetIssueResponse200;"));
    CHECK(all.find("struct GetIssueResponse200 {") < all.find("struct ListIssues {"));
  }
  SUBCASE("also within shared structs, after those that these contain") {
    const std::string all = header({responds("GET", "/", "listIssues", page),
                                    responds("GET", "/old", "listOldIssues", page),
                                    responds("GET", "/:id", "getIssue", issue)});
    CHECK(all.find("struct GetIssueResponse200 {") <
          all.find("using ItemsItem = ::routes::issues::GetIssueResponse200;"));
    CHECK(all.find("using ItemsItem") < all.find("struct ListIssues {"));
  }
  SUBCASE("but a body none of a response") {
    const auto created = validate("body", {{"issue", issue}});
    const std::string all = header({route("POST", "/", options({{"validate", created}})),
                                    responds("GET", "/:id", "getIssue", issue)});
    CHECK(has(all, "struct Issue {"));
    CHECK_FALSE(has(all, "using Issue ="));
  }
  SUBCASE("with the schema of bodies in bodies") {
    const auto named = [&](const char* path, const char* id, const Named& fields) {
      return route("POST", path,
                   options({{"validate", validate("body", fields)},
                            {"docs", record("Docs", {{"operation_id", text(id)}})}}));
    };
    const std::string all =
        header({named("/", "createIssue", {{"title", text("string")}}),
                named("/many", "createIssues",
                      {{"issues", call("array_of", {entries({{"title", text("string")}})})}})});
    CHECK(has(all, "using IssuesItem = ::routes::issues::CreateIssueBody;"));
    CHECK(has(all, "using Body = CreateIssueBody;"));
  }
}

TEST_CASE("emitted table: the route table matches the golden files") {
  const auto app = application("");
  CHECK(same_as_golden("include/fairway/app_table.hpp", emit::emit_app_table_header(app)) ==
        "same");
  CHECK(same_as_golden("app_table.cpp",
                       emit::emit_app_table(
                           app, emit::openapi_document(app, {.title = "Difficult"}), false)) ==
        "same");
  CHECK(emit::app_table_header_path(app) == "fairway/app_table.hpp");
}

TEST_CASE("emitted table: a named application has its own names") {
  const auto app = application("shop");
  CHECK(same_as_golden("named/include/" + emit::app_table_header_path(app),
                       emit::emit_app_table_header(app)) == "same");
  CHECK(same_as_golden("named/app_table.cpp",
                       emit::emit_app_table(app, model::Json::object(), false)) == "same");
  CHECK(same_as_golden("named/include/fairway/routes/people.routes.hpp",
                       emit::emit_route_types(app, app.files[0]).header) == "same");
  CHECK(same_as_golden("named/routes/people.routes.cpp",
                       emit::emit_route_types(app, app.files[0]).source) == "same");
}

TEST_CASE("emitted table: an application without routes has an empty table") {
  const auto nothing = checked({route_file("routes/a.cpp", {})}).application;
  const std::string text = emit::emit_app_table(nothing, model::Json::object(), false);
  CHECK(text.find("kRoutes") == std::string::npos);
  CHECK(text.find(".middlewares = {},\n      .plugins = {},\n") != std::string::npos);
  CHECK(
      emit::emit_app_table(checked({}).application, model::Json::object(), false).find("kFiles") ==
      std::string::npos);
}

TEST_CASE("emitted table: names the features that the application uses") {
  const auto features = [](Named members, bool has_docs_viewer = false) {
    auto app =
        checked({route_file("routes/a.cpp", {route("GET", "/", options(std::move(members)))})})
            .application;
    app.pages.clear();
    const std::string text = emit::emit_app_table(app, model::Json::object(), has_docs_viewer);
    CHECK(text.find("\n      .features = &kFeatures,\n") != std::string::npos);
    const std::string begin = "constexpr fw::detail::Features kFeatures = {";
    const auto from = text.find(begin) + begin.size();
    return text.substr(from, text.find("};", from) - from);
  };
  CHECK(features({}) == "");
  CHECK(features({}, true) == "\n    .docs_viewer = &fw::detail::kDocsViewer,\n");
  CHECK(features({{"cache", flag(false)}}) == "");
  CHECK(features({{"cache", record("RouteCacheOptions", {{"ttl", integer(5)}})}}) ==
        "\n    .cached_routes = &fw::detail::kCachedRoutes,\n");
  CHECK(features({{"mcp", flag(true)}}) == "\n    .mcp_tools = &fw::detail::kMcpTools,\n");
  CHECK(features({{"frontend", record("Frontend", {{"mode", text("revalidate")}})}}) ==
        "\n    .cached_routes = &fw::detail::kCachedRoutes,\n"
        "    .page_rendering = &fw::detail::kPageRendering,\n"
        "    .page_routes = &fw::detail::kPageRoutes,\n");
}

TEST_CASE("emitted types: routes of a file share the types that the OpenAPI document shares") {
  const auto order = [] {
    return entries({{"id", text("integer")}, {"status", text("enum:open,paid")}});
  };
  const auto app =
      checked({route_file(
                  "routes/orders.cpp",
                  {route("GET", "/",
                         options({{"docs", record("Docs", {{"operation_id", text("listOrders")}})},
                                  {"responses", entries({{"200", call("array_of", {order()})}})}})),
                   route("GET", "/:id",
                         options({{"docs", record("Docs", {{"operation_id", text("getOrder")}})},
                                  {"responses", entries({{"200", order()}})}})),
                   route("POST", "/",
                         options({{"docs", record("Docs", {{"operation_id", text("createOrder")}})},
                                  {"validate", validate("body", {{"n", text("integer")}})},
                                  {"responses", entries({{"201", order()}})}})),
                   route("PUT", "/:id",
                         options({{"docs", record("Docs", {{"operation_id", text("updateOrder")}})},
                                  {"validate", validate("body", {{"n", text("integer")}})}}))})})
          .application;
  const std::string header = emit::emit_route_types(app, app.files[0]).header;
  const auto has = [&](const std::string& part) { return header.find(part) != std::string::npos; };
  CHECK(has("\nstruct Order {\n"));
  CHECK(has(
      "\nstruct OrderBody {\n  static constexpr fw::Location kLocation = fw::Location::body;\n"));
  CHECK(
      has("struct ListOrders {\n  using Response200Item = Order;\n"
          "  using Response200 = std::vector<Response200Item>;\n};"));
  CHECK(has("struct GetOrder {\n  using Response200 = Order;\n};"));
  CHECK(has("struct CreateOrder {\n  using Body = OrderBody;\n\n  using Response201 = Order;\n};"));
  CHECK(has("struct UpdateOrder {\n  using Body = OrderBody;\n};"));
  // Its enumeration once, too.
  CHECK(header.find("enum class Status") == header.rfind("enum class Status"));
}

TEST_CASE("emitted table: the OpenAPI document is split into one literal per member") {
  const auto app = application("");
  const auto table = [&](const model::Json& document) {
    return emit::emit_app_table(app, document, false);
  };
  const auto lines = [](const std::string& content) {
    std::set<std::string> all;
    std::istringstream stream(content);
    for (std::string line; std::getline(stream, line);) all.insert(line);
    return all;
  };
  model::Json document = emit::openapi_document(app, {.title = "Difficult"});
  const auto before = lines(table(document));
  document["info"]["title"] = "Difficult, and longer than it was";
  std::vector<std::string> changed;
  std::ranges::set_difference(lines(table(document)), before, std::back_inserter(changed));
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].find(R"("title":"Difficult, and longer than it was",)") != std::string::npos);
  // What a raw literal cannot contain, and what is longer than a literal may be.
  document["info"]["title"] = "(raw)";
  CHECK(table(document).find(R"end("\"info\":{\"title\":\"(raw)\",)end") != std::string::npos);
  document["info"]["title"] = std::string(100'000, 'x');
  std::size_t longest = 0;
  for (const auto& line : lines(table(document))) longest = std::max(longest, line.size());
  CHECK(longest < 33'000);
}

TEST_CASE("openapi.json: the document is indented and in declaration order") {
  const auto app = application("");
  const auto document = emit::openapi_document(app, {.title = "Difficult"});
  CHECK(same_as_golden("openapi.json", emit::openapi_text(document)) == "same");
}

TEST_CASE("manifest: it has a version and lists every route with its options") {
  const auto app = application("");
  CHECK(same_as_golden("routes.manifest.json", emit::emit_manifest(app)) == "same");
}

}  // namespace emitted_code_test
