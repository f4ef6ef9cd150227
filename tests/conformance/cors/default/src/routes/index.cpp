#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x", answers::ok);
  app.get("/err", [&app](fw::Request&, fw::Response&) { app.raise(400, "e"); });
  app.options("/x", answers::ok);
  app.get("/o", {.override_ = {.cors = {.origins = {"http://route.test"}, .credentials = true}}},
          answers::ok);
  app.options("/o",
              {.override_ = {.cors = {.origins = {"http://route.test"}, .credentials = true}}},
              answers::ok);
  app.get("/oe", {.override_ = {.cors = {.enabled = false}}}, answers::ok);
});
