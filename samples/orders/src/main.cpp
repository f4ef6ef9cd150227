// A small shop: products, customers and orders, kept in SQLite.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include "database/database.hpp"
#include "services/customer_store.hpp"
#include "services/order_store.hpp"
#include "services/product_store.hpp"
#include "services/schema.hpp"

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  auto& database =
      app.services().add<Database>(app.config().app.value("database", "orders.db"), kSchema);
  app.services().add<ProductStore>(database);
  app.services().add<CustomerStore>(database);
  app.services().add<OrderStore>(database);
  app.mount(fairway_app());
  return app.listen();
}
