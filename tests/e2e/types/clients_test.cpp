// Each row of the table of docs/types.md: from the C++ type to the document, to both clients, and
// back to an equal value.
#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <types_tests_client.hpp>
#include <variant>

namespace types_clients_test {

namespace {

using Json = nlohmann::json;

class Server {
 public:
  Server() : app_(config()) {
    app_.mount(fairway_app());
    app_.start();
  }
  std::string url() const { return app_.address(); }

 private:
  static fw::Config config() {
    fw::Config config = fw::testing::TestApp::test_config();
    config.host = "127.0.0.1";
    config.port = 0;
    return config;
  }

  fw::App app_;
};

Json everything() {
  std::ifstream file(FAIRWAY_TYPES_DIR "/everything.json");
  return Json::parse(file);
}

}  // namespace

TEST_CASE("types in clients: the C++ client sends and receives a value of every type") {
  const Server server;
  types_tests_api::TypesTestsClient client({.base_url = server.url()});
  const Json json = everything();
  const auto input = json.get<types_tests_api::EverythingInput>();
  CHECK(Json(input) == json);
  const types_tests_api::Everything output = client.echoEverything({.body = input});
  CHECK(Json(output) == json);
  CHECK(output.large == 9007199254740991);
  CHECK(output.channel == types_tests_api::Channel::phone);
  CHECK(std::get<types_tests_api::Transfer>(output.payment).iban == "DE02");
  CHECK(std::get<std::vector<bool>>(output.loose) == std::vector<bool>{true, false});
  CHECK(output.heir.age == 3);

  // Members with a default may be absent, and are in the response.
  Json less = json;
  for (const char* name : {"base_name", "item", "boxed", "old"}) less.erase(name);
  less["heir"].erase("channel");
  const auto shorter = less.get<types_tests_api::EverythingInput>();
  CHECK(Json(shorter) == less);
  less["base_name"] = "base";
  less["old"] = 7;
  less["heir"]["channel"] = "web";
  CHECK(Json(client.echoEverything({.body = shorter})) == less);
}

TEST_CASE("types in clients: types within themselves, lists and types of other names") {
  const Server server;
  types_tests_api::TypesTestsClient client({.base_url = server.url()});
  const Json folder = Json::parse(
      R"({"name": "a", "folders": [{"name": "b", "folders": [{"name": "c", "folders": []}]}]})");
  CHECK(Json(client.echoFolder({.body = folder.get<types_tests_api::FolderInput>()})) == folder);
  const Json items = Json::parse(R"([{"product_id": 1, "quantity": 2}])");
  CHECK(Json(client.echoItems({.body = items.get<std::vector<types_tests_api::Item>>()})) == items);
  const Json renamed = everything()["renamed"];
  CHECK(Json(client.echoRenamed({.body = renamed.get<types_tests_api::RenamedInput>()})) ==
        renamed);
}

TEST_CASE("types in clients: the TypeScript client compiles, sends and receives every type") {
  const Server server;
  const std::string command = std::string("node ") + FAIRWAY_TYPES_DIR + "/round_trip.mjs " +
                              FAIRWAY_TYPES_CLIENT_TS + " " + FAIRWAY_TYPES_DIR +
                              "/everything.json " + server.url();
  CHECK(std::system(command.c_str()) == 0);
}

}  // namespace types_clients_test
