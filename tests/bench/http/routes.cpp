// Fairway with as many routes as BENCH_ROUTES says, for the table of route counts: an application
// of 10,000 hand-written routes would only measure the C++ compiler.
#include <fmt/format.h>

#include <cstdlib>

#include "support/table_builder.hpp"

int main(int argc, char** argv) {
  const char* text = std::getenv("BENCH_ROUTES");
  const int count = text != nullptr ? std::atoi(text) : 10;
  fw::support::TableBuilder builder;
  builder.routes([count](fw::Router& app) {
    for (int i = 0; i < count; ++i) {
      app.get(fmt::format("/area{}/thing{}/:id", i % 100, i),
              [](fw::Request& req, fw::Response& res) { res.json({{"id", *req.param("id")}}); });
    }
  });
  fw::App app(fw::load_config(argc, argv));
  app.mount(builder.table());
  return app.listen();
}
