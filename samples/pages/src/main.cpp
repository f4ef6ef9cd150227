// A small shop in front of the orders sample: pages that are rendered by the server and work
// without JavaScript.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include "services/orders_api.hpp"

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.services().add<OrdersApi>(app.config().app.value("orders", fw::Json::object()));
  app.mount(fairway_app());
  return app.listen();
}
