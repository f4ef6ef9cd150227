#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/set", responses::count_in_session);
  app.get("/throw", [&app](fw::Request& req, fw::Response&) {
    req.session().set("t", 1);
    app.raise(400, "after set");
  });
  app.get("/get", responses::session);
  app.get("/delete", [](fw::Request& req, fw::Response& res) {
    req.session().erase("n");
    res.json({{"data", responses::session_data(req)}});
  });
});
