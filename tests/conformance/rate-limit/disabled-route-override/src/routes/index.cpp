#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/own", {.override_ = {.rate_limit = fw::RateLimitOptions{.max = 1, .window = 30}}},
          responses::ok);
});
