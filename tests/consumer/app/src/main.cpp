#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <iostream>

int main() {
  fw::testing::TestApp app(fairway_app());
  const auto response = app.request("POST", "/notes").json({{"text", "x"}, {"copies", "2"}}).send();
  std::cout << response.status << ' ' << response.body << '\n';
  const auto listed = app.request("GET", "/archive").send();
  std::cout << listed.status << ' ' << listed.body << '\n';
  return response.status == 201 && listed.status == 200 ? 0 : 1;
}
