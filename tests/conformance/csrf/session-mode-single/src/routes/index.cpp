#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/plain", responses::ok);
  app.post("/act", responses::ok);
  app.del("/act", responses::ok);
  app.post("/skip", {.csrf = false}, responses::ok);
  app.post("/guard", {.auth = true}, responses::ok);
});
