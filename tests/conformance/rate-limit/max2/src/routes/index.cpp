#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x", answers::ok);
  app.get("/free", {.override_ = {.rate_limit = false}}, answers::ok);
  app.get("/own", {.override_ = {.rate_limit = fw::RateLimitOptions{.max = 1, .window = 30}}},
          answers::ok);
  app.get("/nomatch-validate", {.validate = {.query = {{"a", "integer!"}}}}, answers::ok);
});
