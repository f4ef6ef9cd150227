// Fairway as an application would run it: request ids, envelope, access log, validation and
// response schemas are on. Further routes for the table of route counts come from BENCH_ROUTES.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.mount(fairway_app());
  return app.listen();
}
