#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/admin", [&app](fw::Request& req, fw::Response& res) {
    if (!with_admin) app.raise(404, "not served here");
    admin(req, res);
  });
});
