// A server of prices, and a service that asks it for them: one program, two configurations.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.mount(fairway_app());
  return app.listen();
}
