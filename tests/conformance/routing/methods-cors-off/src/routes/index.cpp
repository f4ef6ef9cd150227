#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.options("/has-options",
              [](fw::Request& req, fw::Response& res) { answers::tagged(req, res, "options"); });

  app.get("/g", answers::facts);
});
