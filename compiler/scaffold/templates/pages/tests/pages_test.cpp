#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

using fw::testing::TestApp;

namespace {

/// The application as it is configured for tests: config/default.json and config/test.json.
struct App : TestApp {
  App() : TestApp(fairway_app(), fw::load_config_from("config")) {}
};

std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const auto begin = text.find(before);
  if (begin == std::string::npos) return "";
  const auto from = begin + before.size();
  return text.substr(from, text.find(after, from) - from);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("guest book: an entry appears on the page, escaped") {
  App app;
  auto visitor = app.client();
  const std::string page = visitor.request("GET", "/").send().body;
  CHECK(contains(page, "Nobody has signed yet."));
  const std::string token = between(page, "name=\"_csrf\" value=\"", "\"");
  const auto response = visitor.request("POST", "/entries")
                            .header("content-type", "application/x-www-form-urlencoded")
                            .body("author=Ada&message=%3Cb%3Ehello%3C%2Fb%3E&_csrf=" + token)
                            .send();
  CHECK(response.status == 302);
  CHECK(contains(visitor.request("GET", "/").send().body, "&lt;b&gt;hello&lt;/b&gt;"));
}

TEST_CASE("guest book: a form from elsewhere is rejected") {
  App app;
  const auto response =
      app.request("POST", "/entries").json({{"author", "Eve"}, {"message", "spam"}}).send();
  CHECK(response.status == 403);
  CHECK(contains(app.request("GET", "/").send().body, "Nobody has signed yet."));
}

TEST_CASE("health: the service is up") {
  App app;
  CHECK(app.request("GET", "/health").send().json()["data"]["status"] == "ok");
}
