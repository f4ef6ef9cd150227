#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x", responses::ok);
  app.get("/free", {.override_ = {.rate_limit = false}}, responses::ok);
  app.get("/own", {.override_ = {.rate_limit = fw::RateLimitOptions{.max = 1, .window = 30}}},
          responses::ok);
  app.get("/nomatch-validate", {.validate = {.query = {{"a", "integer!"}}}}, responses::ok);
});
