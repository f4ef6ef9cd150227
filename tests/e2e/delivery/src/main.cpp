// Serves the directory `site`, for delivery_test.mjs.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include "deliveries.hpp"

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  Deliveries& deliveries = app.services().add<Deliveries>();
  app.hooks().on<fw::hooks::ResponseAfter>([&](fw::hooks::ResponseAfter& event) {
    deliveries.add(std::string(event.req.path()) + " " + std::to_string(event.res.status_code()));
  });
  app.serve_static("/", "site");
  app.mount(fairway_app());
  return app.listen();
}
