#include <fairway/fairway.hpp>

#include <string>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/c",
          {.cache = {{.ttl = 60000,
                      .key =
                          [](fw::Request& req) {
                            const auto k = req.query("k");
                            return k ? "K" + std::string(*k) : std::string();
                          }}}},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
});
