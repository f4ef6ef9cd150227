#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

using fw::testing::TestApp;

namespace {

/// The application as it is configured for tests: config/default.json and config/test.json.
struct App : TestApp {
  App() : TestApp(fairway_app(), fw::load_config_from("config")) {}
};

}  // namespace

TEST_CASE("notes: a note is created, read, listed and deleted") {
  App app;
  const auto created =
      app.request("POST", "/notes").json({{"title", "Milk"}, {"text", "Two litres"}}).send();
  REQUIRE(created.status == 201);
  const fw::Json note = created.json()["data"];
  CHECK(note["title"] == "Milk");

  const std::string path = "/notes/" + note["id"].dump();
  CHECK(app.request("GET", path).send().json()["data"] == note);
  CHECK(app.request("GET", "/notes").send().json()["data"] == fw::Json::array({note}));

  CHECK(app.request("DELETE", path).send().status == 204);
  CHECK(app.request("GET", path).send().status == 404);
}

TEST_CASE("notes: an invalid note is rejected, and each error names its field") {
  App app;
  const auto response = app.request("POST", "/notes").json({{"title", ""}}).send();
  CHECK(response.status == 422);
  const fw::Json errors = response.json()["errors"];
  REQUIRE(errors.size() == 2);
  CHECK(errors[0]["field"] == "text");
  CHECK(errors[1]["field"] == "title");
}

TEST_CASE("notes: a list has at most `limit` notes, the newest first") {
  App app;
  for (const char* title : {"a", "b", "c"}) {
    app.request("POST", "/notes").json({{"title", title}, {"text", ""}}).send();
  }
  const fw::Json list = app.request("GET", "/notes?limit=2").send().json()["data"];
  REQUIRE(list.size() == 2);
  CHECK(list[0]["title"] == "c");
  CHECK(list[1]["title"] == "b");
  CHECK(app.request("GET", "/notes?limit=0").send().status == 422);
}

TEST_CASE("health: the service is up") {
  App app;
  CHECK(app.request("GET", "/health").send().json()["data"]["status"] == "ok");
}
