// An application that does not start while there is a file `broken` in its directory, breaks off
// while there is one named `crashing`, and gets nowhere while there is one named `hanging`.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.on_ready([](fw::App&) {
    if (std::filesystem::exists("broken")) throw std::runtime_error("the store is locked");
    if (std::filesystem::exists("crashing")) std::_Exit(7);
    while (std::filesystem::exists("hanging")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  app.on_close([](fw::App& self) { self.logger().info("the callbacks of the end have run"); });
  app.mount(fairway_app());
  return app.listen();
}
