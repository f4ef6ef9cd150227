// The application of the tests of the wire.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include <string>

#include "src/request_count.hpp"

int main(int argc, char** argv) {
  fw::Config config = fw::load_config(argc, argv);
  config.host = "127.0.0.1";
  config.logger.level = fw::LogLevel::error;
  fw::App app(std::move(config));
  app.services().add<RequestCount>();
  app.mount(fairway_app());
  const int status = app.listen();
  app.logger().error("counted " + std::to_string(app.services().get<RequestCount>().value));
  return status;
}
