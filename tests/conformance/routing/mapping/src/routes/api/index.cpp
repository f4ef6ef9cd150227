#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("", [](fw::Request& req, fw::Response& res) { answers::tagged(req, res, "api-empty"); });
});
