// The entry for HttpArena, github.com/MDA2AV/HttpArena; validate.sh runs its validation.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include "models/dataset.hpp"

int main(int argc, char** argv) {
  arena::dataset();
  fw::App app(fw::load_config(argc, argv));
  app.serve_static("/static", arena::data_directory() + "/static");
  app.mount(fairway_app());
  return app.listen();
}
