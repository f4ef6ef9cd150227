// The application of bench_renewals: pages that take their time, each renewed every second. They
// contain the time at which they were rendered.
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/table_builder.hpp"

namespace {

using namespace std::chrono_literals;

constexpr int kSlowPages = 8;

void add_page(fw::Router& app, const std::string& path, std::chrono::milliseconds time) {
  app.get(path, {.frontend = {.mode = "revalidate", .revalidate = 1}},
          [time](fw::Request&, fw::Response& res) {
            std::this_thread::sleep_for(time);
            const std::chrono::nanoseconds now =
                std::chrono::steady_clock::now().time_since_epoch();
            res.render("page", {{"rendered", std::to_string(now.count())}});
          });
}

}  // namespace

int main(int argc, char** argv) {
  fw::support::TableBuilder builder;
  builder.page("page.html", "<p>{{rendered}}</p>");
  builder.routes([](fw::Router& app) {
    app.get("/plain", [](fw::Request&, fw::Response& res) { res.text("plain"); });
    add_page(app, "/page", 20ms);
    add_page(app, "/hosts", 50ms);
    for (int i = 0; i < kSlowPages; ++i) add_page(app, fmt::format("/slow/{}", i), 2s);
  });
  fw::Config config = fw::load_config(argc, argv);
  config.host = "127.0.0.1";
  config.logger.level = fw::LogLevel::error;
  fw::App app(std::move(config));
  app.mount(builder.table());
  return app.listen();
}
