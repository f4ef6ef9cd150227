#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/plain", answers::ok);
  app.post("/act", answers::ok);
  app.del("/act", answers::ok);
  app.post("/skip", {.csrf = false}, answers::ok);
  app.post("/guard", {.auth = true}, answers::ok);
});
