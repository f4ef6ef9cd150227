// Ends with 0 when the table has the routes that the program registers: else the start fails.
#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

int main() {
  fw::testing::TestApp app(fairway_app());
  return app.request("GET", "/flags" FROM_SHELL_OPTION).send().status == 200 ? 0 : 1;
}
