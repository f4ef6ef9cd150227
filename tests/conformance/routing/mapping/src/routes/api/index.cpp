#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "api-empty"); });
});
