#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.options("/has-options",
              [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "options"); });

  app.get("/g", responses::facts);
});
