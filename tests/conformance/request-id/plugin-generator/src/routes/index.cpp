#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/id", [](fw::Request& req, fw::Response& res) { res.json({{"id", req.request_id()}}); });
});
