#include "errors/locales.hpp"

#include <doctest/doctest.h>

#include "errors/message_template.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::testing::TestApp;

class LocaleFolder {
 public:
  LocaleFolder() {
    write("en-US.json", R"({"user.notFound": {"code": 40401, "message": "User {{id}} not found"},
        "plain.key": "Plain text", "gone": {"message": "Gone", "status": 410}})");
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

TEST_CASE("locales: the language of a request") {
  const LocaleFolder folder;
  std::vector<std::string> faults;
  const auto locales = fw::detail::Locales::load(folder.config(), faults);
  CHECK(faults.empty());
  CHECK(locales.choose("") == "en-US");
  CHECK(locales.choose("fr") == "en-US");
  CHECK(locales.choose("zh-CN,en;q=0.5") == "zh-CN");
  CHECK(locales.choose("en;q=0.5, zh-cn") == "zh-CN");
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
  CHECK(app.request("GET", "/gone").send().status == 410);
  CHECK(body("/gone") == Json{{"code", 410}, {"message", "Gone"}});
  CHECK(app.request("GET", "/t").send().body == "User x not found,unknown.key");
}

TEST_CASE("locales: faults of files are startup errors") {
  const LocaleFolder folder;
  folder.write("de.json", R"({"a": 1, "b": {"status": 200}, "c": "ok",
      "d": {"status": 4294967696}})");
  folder.write("fr.json", "[]");
  fw::LocaleConfig config = folder.config();
  std::vector<std::string> faults;
  fw::detail::Locales::load(config, faults);
  REQUIRE(faults.size() == 4);
  CHECK(faults[0].starts_with(folder.config().directory + "/de.json: \"a\" must be a text"));
  CHECK(faults[2].find("\"d\" must be a text") != std::string::npos);
  CHECK(faults[3] == folder.config().directory + "/fr.json: a locale file holds one JSON object");
  config.supported = {"en-US", "it"};
  faults.clear();
  fw::detail::Locales::load(config, faults);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].find("'it'") != std::string::npos);
}

TEST_CASE("templates: known names are filled, others stay") {
  using fw::detail::fill_template;
  CHECK(fill_template("{{a}} {{ b }} {{c}}", {{"a", "x"}, {"b", 1.5}}) == "x 1.5 {{c}}");
  CHECK(fill_template("{{a", {{"a", "x"}}) == "{{a");
  CHECK(fill_template("no holes", nullptr) == "no holes");
  CHECK(fill_template("{{a}}{{a}}", {{"a", "{{b}}"}, {"b", "no"}}) == "{{b}}{{b}}");
}
