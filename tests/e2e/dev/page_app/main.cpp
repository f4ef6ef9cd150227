// What the page of `fairway dev` shows: an error, a slow request, a validation failure.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.mount(fairway_app());
  return app.listen();
}
