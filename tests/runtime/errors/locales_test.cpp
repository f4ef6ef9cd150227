#include "errors/locales.hpp"

#include <doctest/doctest.h>

#include "errors/messages.hpp"
#include "schema/kinds.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace locales_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::testing::TestApp;

class LocaleFolder {
 public:
  LocaleFolder() {
    write("en-US.json", R"({"user.notFound": {"code": 40401, "message": "User {{id}} not found"},
        "plain.key": "Plain text", "gone": {"message": "Gone", "status": 410},
        "visit.gone": {"message": "Visit {{id}} is over", "status": 410}})");
    write("zh-CN.json", R"({"user.notFound": {"code": 40401, "message": "用户 {{id}} 不存在"}})");
  }

  void write(const std::string& name, const std::string& text) const {
    directory_.write(name, text);
  }
  fw::LocaleConfig config() const {
    fw::LocaleConfig config;
    config.directory = directory_.path();
    return config;
  }

 private:
  fairway::test::TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("locales: Vary names the field of the language where a cache may store the message") {
  const LocaleFolder folder;
  fw::Config config = TestApp::test_config();
  config.locale = folder.config();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/t", [](fw::Request& req, fw::Response& res) {
          res.set_header("cache-control", "public, max-age=60").json(req.t("plain.key"));
        });
        router.get("/plain", [](fw::Request&, fw::Response& res) { res.json("plain"); });
        const auto fail = [](fw::Request&, fw::Response&) { fw::raise(404, "user.notFound"); };
        router.get("/error", fail);
        router.get("/lasting", fail);
      },
      config,
      [](fw::App& application) {
        application.hooks().on<fw::hooks::ErrorBeforeResponse>(
            [](fw::hooks::ErrorBeforeResponse& event) {
              if (event.req.path() != "/lasting") return;
              event.res.set_header("cache-control", "public, max-age=60");
            });
      });
  const auto vary = [&](const char* path) {
    const auto response = app.request("GET", path).header("Accept-Language", "zh-CN").send();
    return std::string(response.header("vary").value_or(""));
  };
  CHECK(vary("/t") == "Origin, Accept-Language");
  CHECK(vary("/plain") == "Origin");
  CHECK(vary("/lasting") == "Origin, Accept-Language");
  CHECK(vary("/error") == "Origin");  // "no-store"
}

TEST_CASE("locales: the language of a request is negotiated") {
  const LocaleFolder folder;
  std::vector<std::string> errors;
  const auto locales = fw::detail::Locales::load(folder.config(), errors);
  CHECK(errors.empty());
  CHECK(locales.choose("") == "en-US");
  CHECK(locales.choose("fr") == "en-US");
  CHECK(locales.choose("zh-CN,en;q=0.5") == "zh-CN");
  CHECK(locales.choose("en;q=0.5, zh-cn") == "zh-CN");
  // A request that names thousands costs no more than another one.
  std::string others = "fr";
  for (int i = 1; i < 31; ++i) others += ",fr";
  CHECK(locales.choose(others + ",zh-CN") == "zh-CN");
  CHECK(locales.choose(others + ",fr,zh-CN") == "en-US");
  CHECK(locales.choose("zh") == "zh-CN");
  CHECK(locales.choose("zh-CN;q=0, en-GB") == "en-US");
  CHECK(locales.choose("*, zh-CN;q=0.5") == "en-US");
  CHECK(locales.choose(",;q=,zh-CN") == "zh-CN");
}

TEST_CASE("locales: errors take message, code and status from the entry") {
  const LocaleFolder folder;
  fw::Config config = TestApp::test_config();
  config.locale = folder.config();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/k1", [&](fw::Request&, fw::Response&) {
          router.raise(404, "user.notFound", {{"id", 7}});
        });
        router.get("/k2", [&](fw::Request&, fw::Response&) { router.raise(404, "plain.key"); });
        router.get("/k5", [&](fw::Request&, fw::Response&) {
          router.raise(404, "user.notFound", {{"id", 7}}, "OVERRIDE");
        });
        router.get("/k6",
                   [&](fw::Request&, fw::Response&) { router.raise("visit.gone", {{"id", 7}}); });
        router.get("/gone", [&](fw::Request&, fw::Response&) { router.raise("gone"); });
        router.get("/t", [](fw::Request& req, fw::Response& res) {
          res.text(req.t("user.notFound", {{"id", "x"}}) + "," + req.t("unknown.key"));
        });
      },
      config);
  const auto body = [&](const std::string& path, const std::string& language = "") {
    Json json = app.request("GET", path).header("Accept-Language", language).send().json();
    json.erase("requestId");
    return json;
  };
  CHECK(body("/k1") == Json{{"code", 40401}, {"message", "User 7 not found"}});
  CHECK(body("/k1", "zh-CN") == Json{{"code", 40401}, {"message", "用户 7 不存在"}});
  CHECK(body("/k2", "zh-CN") == Json{{"code", 404}, {"message", "Plain text"}});
  CHECK(body("/k5")["code"] == "OVERRIDE");
  CHECK(app.request("GET", "/k6").send().status == 410);
  CHECK(body("/k6") == Json{{"code", 410}, {"message", "Visit 7 is over"}});
  CHECK(app.request("GET", "/gone").send().status == 410);
  CHECK(body("/gone") == Json{{"code", 410}, {"message", "Gone"}});
  CHECK(app.request("GET", "/t").send().body == "User x not found,unknown.key");
}

TEST_CASE("locales: each validation rule has a key") {
  // Nothing but keys, so that a message which stays English shows.
  const LocaleFolder folder;
  Json german = Json::object();
  const auto translate = [&](const std::string& key, const std::string& parameters) {
    german["validation." + key] = key + " {{field}}" + parameters;
  };
  translate("failed", "");
  translate("required", "");
  std::vector<std::string> types;
  for (const fw::schema::KindInfo& kind : fw::schema::all_kinds()) {
    if (kind.kind == fw::schema::Kind::any || kind.kind == fw::schema::Kind::enumeration) continue;
    types.emplace_back(kind.name);
    translate("type." + types.back(), "");
  }
  translate("type.enum", " {{values}}");
  for (const std::string measure : {"length", "value", "count"}) {
    for (const std::string limit : {"minimum", "maximum", "exact"}) {
      translate(measure + "." + limit, " {{minimum}} {{maximum}}");
    }
  }
  translate("range.integer", " {{minimum}} {{maximum}}");
  translate("range.number", " {{minimum}} {{maximum}}");
  translate("encoding", "");
  translate("depth", " {{maximum}}");
  folder.write("de.json", german.dump());
  fw::Config config = TestApp::test_config();
  config.locale = folder.config();

  struct Case {
    std::string type;
    Json value;
    std::string german;
    std::string english;
  };
  std::vector<Case> cases = {
      {"enum:red,green", "blue", "type.enum v red, green", "v must be one of red, green"},
      {"string:2-5", "a", "length.minimum v 2 5", "v must be at least 2 characters long"},
      {"string:-5", "abcdef", "length.maximum v {{minimum}} 5",
       "v must be at most 5 characters long"},
      {"string:1", "", "length.exact v 1 1", "v must be exactly 1 character long"},
      {"number:0.5-", 0, "value.minimum v 0.5 {{maximum}}", "v must be at least 0.5"},
      {"integer:1-9", 10, "value.maximum v 1 9", "v must be at most 9"},
      {"integer:7", 6, "value.exact v 7 7", "v must be exactly 7"},
      {"array:1-", Json::array(), "count.minimum v 1 {{maximum}}", "v must have at least 1 item"},
      {"array:-1", {1, 2}, "count.maximum v {{minimum}} 1", "v must have at most 1 item"},
      {"array:2", {1}, "count.exact v 2 2", "v must have exactly 2 items"},
      {"integer", 1e19, "range.integer v -9223372036854775808 9223372036854775807",
       "v must be an integer from -9223372036854775808 to 9223372036854775807"},
      {"number", "1e400", "range.number v -1.8e308 1.8e308",
       "v must be a number below 1.8e308 in magnitude"},
      {"array<integer>", {1, "x"}, "type.integer v/1", "v/1 must be an integer"},
      {"string", nullptr, "type.string v", "v must be a string"}};
  for (const std::string& type : types) {
    if (type != "string") cases.push_back({type, "-", "type." + type + " v", ""});
  }

  for (const Case& each : cases) {
    CAPTURE(each.type);
    CAPTURE(each.value.dump());
    OneFileApp app(
        [&](fw::Router& router) {
          router.post("/", {.validate = {.body = {{"v", each.type}}}},
                      [](fw::Request&, fw::Response&) {});
        },
        config);
    const auto body = [&](const Json& value, const std::string& language) {
      return app.request("POST", "/").header("Accept-Language", language).json(value).send().json();
    };
    const Json translated = body({{"v", each.value}}, "de");
    CHECK(translated["message"] == "failed {{field}}");
    CHECK(translated["errors"] ==
          Json{{{"field", translated["errors"][0]["field"]}, {"message", each.german}}});
    const Json untranslated = body({{"v", each.value}}, "fr");
    CHECK(untranslated["message"] == "Validation failed");
    CHECK(untranslated["code"] == 422);
    if (!each.english.empty()) CHECK(untranslated["errors"][0]["message"] == each.english);
    CHECK(body(Json::object(), "de")["errors"][0]["message"] == "required v");
  }
}

TEST_CASE("locales: depth, encoding and errors of other validators") {
  const LocaleFolder folder;
  folder.write("de.json", R"({"validation.depth": "{{field}}: höchstens {{maximum}} Ebenen",
      "validation.encoding": "{{field}}: kein UTF-8",
      "validation.failed": {"message": "Ungültig", "code": "INVALID"},
      "email.taken": "{{field}}: {{email}} ist vergeben", "own key": "eigener Schlüssel"})");
  fw::Config config = TestApp::test_config();
  config.locale = folder.config();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", {.validate = {.query = {{"q", "string?"}}, .header = {{"x-q", "string?"}}}},
                   [](fw::Request&, fw::Response&) {
                     throw fw::ValidationError({{.field = "email",
                                                 .message = "email is taken",
                                                 .key = "email.taken",
                                                 .params = {{"email", "{{field}}"}}},
                                                {"a", "own key"},
                                                {"b", "no key {{field}}"}});
                   });
      },
      config,
      [](fw::App& own) {
        own.set_validator([](const fw::ValidationInput& input) {
          fw::ValidationResult result = input.standard();
          if (input.location == fw::Location::query && input.value.contains("deep")) {
            result.errors.push_back(
                {"value", "too deep", "validation.depth", {{"maximum", "512"}}});
          }
          return result;
        });
      });
  const auto send = [&](const std::string& target, const std::string& language) {
    Json json = app.request("GET", target).header("Accept-Language", language).send().json();
    json.erase("requestId");
    return json;
  };
  const auto errors = [](std::initializer_list<std::pair<std::string, std::string>> list) {
    Json result = Json::array();
    for (const auto& [field, message] : list) {
      result.push_back({{"field", field}, {"message", message}});
    }
    return result;
  };
  CHECK(send("/", "de") == Json{{"code", "INVALID"},
                                {"message", "Ungültig"},
                                {"errors", errors({{"email", "email: {{field}} ist vergeben"},
                                                   {"a", "eigener Schlüssel"},
                                                   {"b", "no key {{field}}"}})}});
  CHECK(send("/", "en") ==
        Json{{"code", 422},
             {"message", "Validation failed"},
             {"errors",
              errors({{"email", "email is taken"}, {"a", "own key"}, {"b", "no key {{field}}"}})}});
  CHECK(app.request("GET", "/")
            .header("Accept-Language", "de")
            .header("x-q", "\xFF")
            .send()
            .json()["errors"] == errors({{"x-q", "x-q: kein UTF-8"}}));
  CHECK(send("/?deep", "de")["errors"] == errors({{"value", "value: höchstens 512 Ebenen"}}));
}

TEST_CASE("locales: the development error page uses the language of the request") {
  const LocaleFolder folder;
  folder.write("de.json", R"({"validation.required": "{{field}} fehlt"})");
  fw::Config config = TestApp::test_config();
  config.environment = "development";
  config.locale = folder.config();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", {.validate = {.query = {{"q", "string"}}}},
                   [](fw::Request&, fw::Response&) {});
      },
      config);
  const auto page =
      app.request("GET", "/").header("Accept", "text/html").header("Accept-Language", "de").send();
  CHECK(page.status == 422);
  CHECK(page.body.find("q fehlt") != std::string::npos);
}

TEST_CASE("locales: errors in files are startup errors") {
  const LocaleFolder folder;
  folder.write("de.json", R"({"a": 1, "b": {"status": 200}, "c": "ok",
      "d": {"status": 4294967696}})");
  folder.write("fr.json", "[]");
  folder.write("it.json", "{\"a\": \"b\",\n \"c\" \"d\"}");
  fw::LocaleConfig config = folder.config();
  std::vector<std::string> errors;
  fw::detail::Locales::load(config, errors);
  REQUIRE(errors.size() == 5);
  CHECK(errors[0].starts_with(folder.config().directory + "/de.json:1:2: \"a\" must be a string"));
  CHECK(errors[2].find("\"d\" must be a string") != std::string::npos);
  CHECK(errors[3] ==
        folder.config().directory + "/fr.json: a locale file must contain one JSON object");
  CHECK(errors[4] == folder.config().directory +
                         "/it.json:2:6: not valid JSON: unexpected string literal; expected ':'");
  config.supported = {"en-US", "es", "it"};
  errors.clear();
  fw::detail::Locales::load(config, errors);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].find("/it.json:2:6: ") != std::string::npos);
  CHECK(errors[1].find("'es'") != std::string::npos);
  folder.write("es.json/a", "");
  config.supported = {"en-US", "es"};
  errors.clear();
  fw::detail::Locales::load(config, errors);
  CHECK(errors ==
        std::vector<std::string>{config.directory + "/es.json: cannot be read: it is a directory"});
}

TEST_CASE("message templates: known names are replaced, others stay") {
  using fw::detail::fill_template;
  CHECK(fill_template("{{a}} {{ b }} {{c}}", {{"a", "x"}, {"b", 1.5}}) == "x 1.5 {{c}}");
  CHECK(fill_template("{{a", {{"a", "x"}}) == "{{a");
  CHECK(fill_template("no holes", nullptr) == "no holes");
  CHECK(fill_template("{{a}}{{a}}", {{"a", "{{b}}"}, {"b", "no"}}) == "{{b}}{{b}}");
}

}  // namespace locales_test
