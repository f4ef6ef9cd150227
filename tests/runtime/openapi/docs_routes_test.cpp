// /openapi.json and /docs through the whole pipeline.
#include <doctest/doctest.h>

#include <stdexcept>

#include "compression/coding.hpp"
#include "openapi/viewer.hpp"
#include "support/allocation_count.hpp"
#include "support/table_builder.hpp"

namespace docs_routes_test {

namespace {

using fw::Json;
using fw::support::RecordingSink;
using fw::support::TableBuilder;
using fw::testing::TestApp;
namespace hooks = fw::hooks;

constexpr const char* kDocument = R"({"openapi": "3.1.0", "info": {"title": "Shop <1>"},
  "servers": [{"url": "https://api.example.com:8443/v1"}, {"url": "https://{x}.example.com"},
              {"url": "/"}],
  "tags": [{"name": "open"}, {"name": "admin", "description": "Routes of src/routes/admin.cpp"}],
  "paths": {
    "/open": {
      "get": {"operationId": "readOpen", "tags": ["open"], "security": [],
        "responses": {"200": {"content": {"application/json": {"schema": {"type": "object",
          "properties": {"code": {"const": 0}, "data": {"$ref": "#/components/schemas/Open"},
                         "requestId": {"type": "string"}}}}}}}},
      "post": {"operationId": "writeOpen", "tags": ["open"], "security": [],
               "x-fw-docs-access": {"tryItOut": false}}},
    "/admin": {
      "get": {"operationId": "readAdmin", "tags": ["admin"], "security": [],
              "x-fw-docs-access": "admin",
              "requestBody": {"$ref": "#/components/schemas/Secret"}}}},
  "components": {"schemas": {"Open": {"type": "string"},
                             "Secret": {"$ref": "#/components/schemas/Inner"},
                             "Inner": {"type": "number"}}}})";

void respond(fw::Request&, fw::Response& res) { res.json(1); }

void declare(fw::Router& app) {
  app.get("/open", {.cache = 5'000, .middlewares = {"guard"}, .docs = {.operation_id = "readOpen"}},
          respond);
  app.post("/open", {.auth = true, .docs = {.operation_id = "writeOpen"}}, respond);
  app.get("/admin", {.docs = {.operation_id = "readAdmin", .security = {{{"oauth", {"read"}}}}}},
          respond);
}

fw::Config enabled() {
  fw::Config config = TestApp::test_config();
  config.openapi.enabled = true;
  config.middlewares = {{.name = "guard"}};
  return config;
}

class DocumentedApp : private TableBuilder, public TestApp {
 public:
  explicit DocumentedApp(const fw::Config& config = enabled(),
                         const std::function<void(fw::App&)>& set_up = {})
      : TestApp(middleware("guard", fw::define_middleware(
                                        [](fw::Request&, fw::Response&, fw::Next next) { next(); }))
                    .routes(declare)
                    .openapi(kDocument)
                    .table(),
                config, set_up) {}

  Json document() { return request("GET", "/openapi.json").send().json(); }
};

}  // namespace

TEST_CASE("docs: nothing is served unless it is enabled") {
  fw::Config config = enabled();
  config.openapi.enabled = false;
  DocumentedApp app(config);
  CHECK(app.request("GET", "/openapi.json").send().status == 404);
  CHECK(app.request("GET", "/docs").send().status == 404);
}

TEST_CASE("docs: the document has an entity tag, and a matching request gets a 304") {
  DocumentedApp app;
  const auto response = app.request("GET", "/openapi.json").send();
  CHECK(response.status == 200);
  CHECK(response.header("content-type") == "application/json; charset=utf-8");
  CHECK(response.header("cache-control") == "no-cache");
  REQUIRE(response.header("etag"));
  CHECK(response.json().at("info").at("title") == "Shop <1>");
  CHECK(response.body.find("\"/open\":") <
        response.body.find("\"/admin\":"));  // in the order of its text

  const std::string tag(*response.header("etag"));
  const auto unchanged = app.request("GET", "/openapi.json").header("If-None-Match", tag).send();
  CHECK(unchanged.status == 304);
  CHECK(unchanged.body.empty());
  CHECK(unchanged.header("etag") == tag);
  CHECK(app.request("GET", "/openapi.json").header("If-None-Match", "\"x\"").send().status == 200);

  const auto head = app.request("HEAD", "/openapi.json").send();
  CHECK(head.status == 200);
  CHECK(head.body.empty());
  CHECK(head.header("etag") == tag);
  const auto rejected = app.request("POST", "/openapi.json").send();
  CHECK(rejected.status == 405);
}

TEST_CASE("docs: the document matches the configuration of the process") {
  const auto data_of = [](const Json& document) {
    return document.at(
        "/paths/~1open/get/responses/200/content/application~1json/schema"_json_pointer);
  };
  DocumentedApp wrapped;
  CHECK(data_of(wrapped.document()).at("properties").at("code").at("const") == 0);

  fw::Config config = enabled();
  config.response.wrap = false;
  config.openapi.guard_security_map = {{"guard", "sessionCookie"}, {"other", "unused"}};
  config.openapi.auth_scheme = "token";
  config.session.name = "shop.sid";
  DocumentedApp plain(config);
  const Json document = plain.document();
  CHECK(data_of(document) == Json{{"$ref", "#/components/schemas/Open"}});
  CHECK(document.at("/paths/~1open/get/security"_json_pointer) ==
        Json::parse(R"([{"sessionCookie": []}])"));
  CHECK(document.at("/paths/~1open/post/security"_json_pointer) ==
        Json::parse(R"([{"token": []}])"));
  CHECK(document.at("/paths/~1admin/get/security"_json_pointer) ==
        Json::parse(R"([{"oauth": ["read"]}])"));
  const Json schemes = document.at("/components/securitySchemes"_json_pointer);
  CHECK(schemes.size() == 3);
  CHECK(schemes.at("token") == Json{{"type", "http"}, {"scheme", "bearer"}});
  CHECK(schemes.at("sessionCookie") ==
        Json{{"type", "apiKey"}, {"in", "cookie"}, {"name", "shop.sid"}});
}

TEST_CASE("docs: the cache and entity tags add headers and a 304 to responses") {
  const auto responses_of = [](const Json& document) {
    return document.at("/paths/~1open/get/responses"_json_pointer);
  };
  fw::Config config = enabled();
  DocumentedApp cached(config);
  const Json with_cache = responses_of(cached.document());
  CHECK(with_cache.at("200").at("headers").size() == 2);
  CHECK(with_cache.at("200").at("headers").contains("X-Cache"));
  CHECK(with_cache.at("200").at("headers").contains("Cache-Control"));
  CHECK_FALSE(with_cache.contains("304"));
  config.cache.enabled = false;
  config.etag = fw::EntityTags::weak;
  DocumentedApp tagged(config);
  const Json with_tags = responses_of(tagged.document());
  CHECK(with_tags.at("200").at("headers").size() == 1);
  CHECK(with_tags.at("200").at("headers").at("ETag").at("schema") == Json{{"type", "string"}});
  CHECK(with_tags.at("304") ==
        Json{{"description", "Not Modified"}, {"headers", with_tags.at("200").at("headers")}});
  CHECK_FALSE(tagged.document().at("/paths/~1open/post"_json_pointer).contains("responses"));
}

TEST_CASE("docs: caching is described by the process's configuration, not the build's") {
  const std::string response = R"({"description": "Not Modified"})";
  const auto header = [](const std::string& description) {
    return R"({"description": ")" + description + R"(", "schema": {"type": "string"}})";
  };
  const std::string document =
      R"({"openapi": "3.1.0", "paths": {
        "/plain": {"get": {"operationId": "plain", "responses": {
          "200": {"headers": {"Cache-Control": )" +
      header("How long the response may be reused") + R"(, "ETag": )" +
      header("Identifies the content, for If-None-Match") + R"(, "X-Own": {}},
                  "content": {"application/json": {}}},
          "304": )" +
      response + R"(}}},
        "/own": {"get": {"operationId": "own", "responses": {
          "200": {"headers": {"Last-Modified": {}}, "content": {"application/json": {}}},
          "304": )" +
      response + "}}}}}";
  TableBuilder builder;
  builder
      .routes([](fw::Router& app) {
        app.get("/plain", {.docs = {.operation_id = "plain"}}, respond);
        app.get("/own",
                {.docs = {.operation_id = "own",
                          .responses = {{"304", {.description = "Not Modified"}}}}},
                respond);
      })
      .openapi(document);
  fw::Config config = TestApp::test_config();
  config.openapi.enabled = true;
  TestApp app(builder.table(), config);
  const Json paths = app.request("GET", "/openapi.json").send().json().at("paths");
  const Json plain = paths.at("/plain").at("get").at("responses");
  CHECK_FALSE(plain.contains("304"));
  CHECK(plain.at("200").at("headers") == Json{{"X-Own", Json::object()}});
  CHECK(paths.at("/own").at("get").at("responses").at("304") == Json::parse(response));
}

TEST_CASE("docs: generation has events, and the later one can change the document") {
  std::vector<std::string> names;
  DocumentedApp app(enabled(), [&](fw::App& a) {
    a.hooks().on<hooks::RoutesReady>([&](auto& e) { names.emplace_back(e.kName); });
    a.hooks().on<hooks::OpenApiBeforeGenerate>([&](auto& e) { names.emplace_back(e.kName); });
    a.hooks().on<hooks::OpenApiAfterGenerate>([&](hooks::OpenApiAfterGenerate& e) {
      names.emplace_back(e.kName);
      e.document["info"]["version"] = "9";
    });
    a.hooks().on<hooks::AppReady>([&](auto& e) { names.emplace_back(e.kName); });
  });
  CHECK(names == std::vector<std::string>{"routes:ready", "openapi:beforeGenerate",
                                          "openapi:afterGenerate", "app:ready"});
  CHECK(app.document().at("info").at("version") == "9");
}

TEST_CASE("docs: a path that is also a route is a startup error with both names") {
  TableBuilder table;
  table.routes([](fw::Router& app) { app.get("/openapi.json", respond); });
  const auto start = [&](const fw::Config& config) { TestApp app(table.table(), config); };
  CHECK_THROWS_WITH_AS(start(enabled()),
                       "openapi.jsonPath: GET /openapi.json: matches the same requests as GET "
                       "/openapi.json (src/routes/index.cpp:10)",
                       fw::StartupError);
  fw::Config config = enabled();
  config.openapi.json_path = "/api.json";
  start(config);
  config.openapi.docs_path = "docs";
  CHECK_THROWS_WITH_AS(
      start(config),
      "configuration: /openapi/docsPath: 'docs' must begin with / and have no parameters",
      fw::StartupError);
  config.openapi.docs_path = "/:page";
  CHECK_THROWS_AS(start(config), fw::StartupError);
}

TEST_CASE("docs: an operation id of two mounted applications is a startup error") {
  TableBuilder first;
  TableBuilder second;
  first.routes([](fw::Router& app) { app.get("/a", {.docs = {.operation_id = "same"}}, respond); });
  second.routes([](fw::Router& app) { app.get("/b", {.docs = {.operation_id = "same"}}, respond); },
                "/", "src/routes/b.cpp");
  const auto start = [&](const fw::Config& config) {
    TestApp app(first.table(), config, [&](fw::App& a) { a.mount(second.table()); });
  };
  start(TestApp::test_config());
  CHECK_THROWS_WITH_AS(
      start(enabled()),
      "src/routes/index.cpp:10: GET /a: the operation id 'same' is also used by GET /b "
      "(src/routes/b.cpp:10); set docs.operation_id for one of them",
      fw::StartupError);
}

TEST_CASE("docs access: without a resolver an operation is shown as its route declares") {
  DocumentedApp app;
  const Json paths = app.document().at("paths");
  CHECK(paths.at("/admin").contains("get"));  // a label alone hides nothing
  CHECK(paths.at("/open").at("post").at("x-fw-docs-try-it-out") == false);
  CHECK_FALSE(paths.at("/open").at("get").contains("x-fw-docs-try-it-out"));

  DocumentedApp hidden(enabled(), [](fw::App& a) {
    a.hooks().on<hooks::OpenApiAfterGenerate>([](hooks::OpenApiAfterGenerate& e) {
      e.document["paths"]["/admin"]["get"]["x-fw-docs-access"] = {{"visible", false}};
    });
  });
  CHECK_FALSE(hidden.document().at("paths").contains("/admin"));
}

TEST_CASE("docs access: the resolver is called for each operation and request") {
  std::vector<fw::DocsDescriptor> asked;
  fw::Config config = enabled();
  config.openapi.docs.access.resolver = [&](fw::Request& req, const fw::DocsDescriptor& operation) {
    asked.push_back(operation);
    fw::DocsVisibility visibility = operation.declared;
    if (operation.access == "admin") visibility.visible = req.header("x-role") == "admin";
    return visibility;
  };
  DocumentedApp app(config);
  const auto anonymous = app.request("GET", "/openapi.json").send();
  CHECK(anonymous.header("cache-control") == "private, no-store");
  CHECK_FALSE(anonymous.header("etag"));
  const Json document = anonymous.json();
  CHECK(document.at("paths").size() == 1);
  CHECK(document.at("paths").at("/open").at("post").at("x-fw-docs-try-it-out") == false);
  // Nothing that only the hidden operation has can be seen.
  CHECK(document.at("components").at("schemas") == Json::parse(R"({"Open": {"type": "string"}})"));
  CHECK(document.at("components").at("securitySchemes").size() == 1);
  CHECK(document.at("tags") == Json::parse(R"([{"name": "open"}])"));
  CHECK(anonymous.body.find("admin") == std::string::npos);

  const Json full = app.request("GET", "/openapi.json").header("X-Role", "admin").send().json();
  CHECK(full.at("paths").size() == 2);
  CHECK(full.at("components").at("schemas").size() == 3);

  REQUIRE(asked.size() == 6);
  CHECK(asked[0].kind == fw::DocsKind::operation);
  CHECK(asked[0].method == "GET");
  CHECK(asked[0].path == "/open");
  CHECK(asked[0].operation_id == "readOpen");
  CHECK(asked[0].tags == std::vector<std::string>{"open"});
  CHECK(asked[0].middlewares == std::vector<std::string>{"guard"});
  CHECK(asked[0].access.is_null());
  CHECK(asked[1].access == Json{{"tryItOut", false}});
  CHECK_FALSE(asked[1].declared.try_it_out);
}

TEST_CASE("docs access: the document of one set of permissions is built once") {
  // More sets than are kept.
  constexpr int kPaths = 5;
  constexpr int kSets = 1 << kPaths;
  Json document = {{"openapi", "3.1.0"}, {"paths", Json::object()}};
  for (int i = 0; i < kPaths; ++i) {
    document["paths"]["/p" + std::to_string(i)]["get"] = {
        {"operationId", "p" + std::to_string(i)},
        {"responses", {{"200", {{"description", std::string(500, 'x')}}}}}};
  }
  fw::Config config = enabled();
  config.openapi.docs.access.resolver = [](fw::Request& req, const fw::DocsDescriptor& operation) {
    const int set = std::stoi(std::string(req.header("x-set").value_or("0")));
    return fw::DocsVisibility{.visible = (set >> (operation.path[2] - '0') & 1) != 0};
  };
  TableBuilder table;
  table.openapi(document.dump());
  TestApp app(table.table(), config);
  const auto paths = [&](int set) {
    const Json seen = app.request("GET", "/openapi.json")
                          .header("x-set", std::to_string(set))
                          .send()
                          .json()
                          .value("paths", Json::object());
    int bits = 0;
    for (const auto& [path, item] : seen.items()) bits |= 1 << (path[2] - '0');
    return bits;
  };
  for (int round = 0; round < 2; ++round) {
    for (int set = 0; set < kSets; ++set) {
      CHECK(paths(set) == set);
      CHECK(paths(set) == set);
    }
  }
  const auto allocations = [&](int set) {
    const auto request = app.request("GET", "/openapi.json").header("x-set", std::to_string(set));
    const auto before = fw::support::allocation_count();
    auto sent = request;
    sent.send();
    return fw::support::allocation_count() - before;
  };
  allocations(1);
  const auto known = allocations(1);
  for (int set = 2; set < 2 + 20; ++set) allocations(set);
  const auto forgotten = allocations(1);
  MESSAGE("allocations: " << known << " for a known set of rights, " << forgotten
                          << " for another one");
  CHECK(known * 2 < forgotten);
}

TEST_CASE("docs access: a resolver that throws hides the operation and is logged") {
  auto sink = std::make_shared<RecordingSink>();
  fw::Config config = enabled();
  config.openapi.docs.access.resolver = [](fw::Request&, const fw::DocsDescriptor& operation) {
    if (operation.operation_id == "readAdmin") throw std::runtime_error("no directory");
    return operation.declared;
  };
  DocumentedApp app(config,
                    [&](fw::App& a) { a.set_logger(fw::Logger(sink, fw::LogLevel::error)); });
  CHECK_FALSE(app.document().at("paths").contains("/admin"));
  CHECK(sink->messages() ==
        std::vector<std::string>{"openapi.docs.access.resolver failed: GET /admin is hidden"});
  CHECK(sink->records().at(0).fields.dump().find("no directory") != std::string::npos);
}

TEST_CASE("viewer: links are relative to the request path, and strings are escaped") {
  using fw::openapi::viewer_page;
  const std::string page = viewer_page("A & <b>", "/docs", "/docs", "/openapi.json");
  CHECK(page.find("<title>A &amp; &lt;b&gt;</title>") != std::string::npos);
  CHECK(page.find(R"(data-document="./openapi.json")") != std::string::npos);
  CHECK(page.find(R"(src="./docs/)") != std::string::npos);
  CHECK(page.find("://") == std::string::npos);
  CHECK(viewer_page("", "/docs/", "/docs", "/openapi.json")
            .find(R"(data-document="../openapi.json")") != std::string::npos);
  CHECK(viewer_page("", "/a/b/docs", "/a/b/docs", "/a/x.json")
            .find(R"(data-document="../../a/x.json")") != std::string::npos);
  CHECK(fw::openapi::asset_path("/", "a.js") == "/a.js");
  CHECK(fw::openapi::asset_path("/docs/", "a.js") == "/docs/a.js");
}

TEST_CASE("viewer: the CSP allows only the application and the document's servers") {
  const auto document = nlohmann::ordered_json::parse(kDocument);
  CHECK(fw::openapi::viewer_policy(document) ==
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self' https://api.example.com:8443 wss://api.example.com:8443; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

TEST_CASE("viewer: the page and its assets are served") {
  DocumentedApp app;
  if (fw::openapi::viewer_assets().empty()) {
    CHECK(app.request("GET", "/docs").send().status == 404);
    return;
  }
  const auto page = app.request("GET", "/docs/").send();
  CHECK(page.status == 200);
  CHECK(page.header("content-type") == "text/html; charset=utf-8");
  CHECK(page.header("cache-control") == "no-cache");
  CHECK(page.header("content-security-policy")->starts_with("default-src 'none'"));
  CHECK(page.body.find("<title>Shop &lt;1&gt;</title>") != std::string::npos);
  CHECK(app.request("GET", "/docs/")
            .header("If-None-Match", std::string(*page.header("etag")))
            .send()
            .status == 304);

  for (const fw::openapi::ViewerAsset& asset : fw::openapi::viewer_assets()) {
    CAPTURE(asset.name);
    const std::string path = "/docs/" + std::string(asset.file_name);
    CHECK(page.body.find("../docs/" + std::string(asset.file_name)) != std::string::npos);
    const auto plain = app.request("GET", path).send();
    CHECK(plain.status == 200);
    const auto content = fw::compression::decompress_gzip(asset.gzip);
    CHECK(plain.body == (content ? *content : asset.bytes));
    CHECK(plain.body.size() > asset.gzip.size());
    if (asset.name == "icon.svg") CHECK(plain.body.starts_with("<svg"));
    CHECK(plain.header("content-type") == asset.content_type);
    CHECK(plain.header("cache-control") == "public, max-age=31536000, immutable");
    CHECK(plain.header("vary") == "accept-encoding, Origin");
    CHECK_FALSE(plain.header("content-encoding"));
    const auto zipped = app.request("GET", path).header("Accept-Encoding", "br, gzip").send();
    CHECK(zipped.body == asset.gzip);
    CHECK(zipped.body.starts_with("\x1f\x8b"));
    CHECK(zipped.header("content-encoding") == "gzip");
    CHECK(zipped.header("etag") != plain.header("etag"));
    const auto known = app.request("GET", path)
                           .header("Accept-Encoding", "gzip")
                           .header("If-None-Match", std::string(*zipped.header("etag")))
                           .send();
    CHECK(known.status == 304);
    CHECK_FALSE(known.header("content-encoding"));
    const auto head = app.request("HEAD", path).send();
    CHECK(head.status == 200);
    CHECK(head.body.empty());
  }
}

}  // namespace docs_routes_test
