#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x", responses::ok);
  app.get("/o", {.override_ = {.cors = {.origins = {"http://route.test"}, .credentials = true}}},
          responses::ok);
  app.options("/o",
              {.override_ = {.cors = {.origins = {"http://route.test"}, .credentials = true}}},
              responses::ok);
  app.get("/oe", {.override_ = {.cors = {.enabled = false}}}, responses::ok);
});
