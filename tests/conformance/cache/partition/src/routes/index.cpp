#include <fairway/fairway.hpp>

#include <string>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/c",
          {.cache = {{.ttl = 60000,
                      .partition_key =
                          [](fw::Request& req) {
                            return std::string(req.header("x-tenant").value_or(""));
                          },
                      .allow_shared_caches = true}}},  // the cases expect "public"
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
});
