#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/ip", [](fw::Request& req, fw::Response& res) {
    res.json({{"ip", req.ip()}, {"protocol", req.protocol()}});
  });
});
