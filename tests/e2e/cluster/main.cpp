// An application that does not start while there is a file `broken` in its directory, and breaks
// off while there is one named `crashing`.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.on_ready([](fw::App&) {
    if (std::filesystem::exists("broken")) throw std::runtime_error("the store is locked");
    if (std::filesystem::exists("crashing")) std::_Exit(7);
  });
  app.mount(fairway_app());
  return app.listen();
}
