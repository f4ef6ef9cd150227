#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get(
      "/c",
      {.cache = {{.ttl = 60000, .allow_authorization_cache = true, .allow_shared_caches = true}}},
      [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
});
