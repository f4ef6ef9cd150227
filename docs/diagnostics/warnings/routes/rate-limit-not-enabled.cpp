#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.override_ = {.rate_limit = fw::RateLimitOptions{.max = 5}}}, create);
});
