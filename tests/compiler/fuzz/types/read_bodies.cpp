// Sends the bodies of generate_bodies.mjs to the routes of the application, with and without the
// typed path, and writes what the routes respond with as JSON lines {"status", "data", "errors",
// "again"}: random_types BODIES RESULTS. "again" is the response to the data of the response. Ends
// with status 1 if the paths differ.
#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <fstream>
#include <iostream>
#include <string>
#include <utility>

namespace {

using fw::Json;
using fw::testing::TestApp;

fw::Config make_config(bool has_typed_path) {
  fw::Config config = TestApp::test_config();
  config.typed_path = has_typed_path;
  config.response.wrap = false;
  return config;
}

Json send(TestApp& app, const std::string& route, const std::string& text) {
  auto request = app.request("POST", route);
  const auto response = request.header("content-type", "application/json").body(text).send();
  const Json body = Json::parse(response.body, nullptr, false);
  if (response.status == 200) return {{"status", 200}, {"data", body}};
  return {{"status", response.status},
          {"errors", body.value("errors", Json(body.value("message", "")))}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: random_types BODIES RESULTS\n";
    return 2;
  }
  TestApp typed(fairway_app(), make_config(true));
  TestApp general(fairway_app(), make_config(false));
  std::ifstream bodies(argv[1]);
  std::ofstream results(argv[2], std::ios::binary);
  unsigned differences = 0;
  for (std::string line; std::getline(bodies, line);) {
    const Json body = Json::parse(line);
    const auto route = body["route"].get<std::string>();
    Json seen = send(typed, route, body["text"].get<std::string>());
    const Json checked = send(general, route, body["text"].get<std::string>());
    if (seen != checked) {
      ++differences;
      std::cerr << "with the typed path " << seen.dump() << "\n  without " << checked.dump()
                << "\n  body " << line << '\n';
    }
    if (seen["status"] == 200) seen["again"] = send(typed, route, seen["data"].dump());
    results << seen.dump() << '\n';
  }
  std::cout << differences << " differences between the typed path and the general path\n";
  return differences == 0 ? 0 : 1;
}
