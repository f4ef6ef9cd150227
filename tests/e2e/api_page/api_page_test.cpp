// The route file of the interface's documentation, word for word: it compiles and serves what it
// says.
#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

namespace api_page_test {

namespace {

fw::Config config() {
  fw::Config result = fw::testing::TestApp::test_config();
  result.middlewares = {{.name = "audit-log", .options = {}}, {.name = "role", .options = {}}};
  return result;
}

void set_up(fw::App& app) {
  app.services().add<UserStore>();
  app.use(fw::auth({.source = "bearer", .verify = [](std::string_view token, fw::Request&) {
                      return token == "good" ? std::optional(fw::AuthIdentity{.subject = "1"})
                                             : std::nullopt;
                    }}));
}

const fw::Json kUser = {{"name", "Ada"},
                        {"email", "ada@example.com"},
                        {"address", {{"city", "London"}}},
                        {"tags", {{{"key", "a"}, {"value", "b"}}}}};

}  // namespace

TEST_CASE("documented route file: creates and reads a user") {
  fw::testing::TestApp app(fairway_app(), config(), set_up);
  const auto created =
      app.request("POST", "/users").header("authorization", "Bearer good").json(kUser).send();
  CHECK(created.status == 201);
  CHECK(created.json().at("data").at("name") == "Ada");
  CHECK(created.header("x-audited") == "yes");
  CHECK(created.header("x-role") == "user");
  const auto id = created.json().at("data").at("id").get<std::string>();
  const auto read = app.request("GET", "/users/" + id).send();
  CHECK(read.status == 200);
  CHECK(read.json().at("data") == created.json().at("data"));
}

TEST_CASE("documented route file: guards, validates and raises") {
  fw::testing::TestApp app(fairway_app(), config(), set_up);
  CHECK(app.request("POST", "/users").json(kUser).send().status == 401);
  CHECK(app.request("POST", "/users")
            .header("authorization", "Bearer bad")
            .json(kUser)
            .send()
            .json()
            .at("code") == "AUTH_INVALID");
  const auto invalid = app.request("POST", "/users")
                           .header("authorization", "Bearer good")
                           .json({{"name", ""}, {"email", "nobody"}})
                           .send();
  CHECK(invalid.status == 422);
  const auto missing = app.request("GET", "/users/4711").send();
  CHECK(missing.status == 404);
  CHECK(missing.json().at("message") == "user.not_found");
}

}  // namespace api_page_test
