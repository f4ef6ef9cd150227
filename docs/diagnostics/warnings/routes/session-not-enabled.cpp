#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.session = false},
          [](fw::Request& req, fw::Response& res) { res.json(req.session().data()); });
});
