// A small shop: pages that are rendered by the server and work without JavaScript.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include "services/stock.hpp"

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.services().add<Stock>();
  app.mount(fairway_app());
  return app.listen();
}
