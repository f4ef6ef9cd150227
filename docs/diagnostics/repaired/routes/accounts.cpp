#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/balance", [](fw::Request&, fw::Response& res) { res.json({{"balance", 0}}); });
});
