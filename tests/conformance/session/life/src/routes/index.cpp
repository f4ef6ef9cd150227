#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/get", responses::session);
  app.get("/set", responses::count_in_session);
  app.get("/rolling", {.session = fw::SessionOptions{.rolling = true}}, responses::ok);
  app.get("/nocommit", {.session = fw::SessionOptions{.auto_commit = false}},
          [](fw::Request& req, fw::Response& res) {
            req.session().set("y", 1);
            res.json({{"y", 1}});
          });
  app.get("/save", {.session = fw::SessionOptions{.auto_commit = false}},
          [](fw::Request& req, fw::Response& res) {
            req.session().set("y", 1);
            req.session().save();
            res.json({{"y", 1}});
          });
  app.get("/destroy", [](fw::Request& req, fw::Response& res) {
    req.session().destroy();
    res.json({{"destroyed", true}});
  });
});
