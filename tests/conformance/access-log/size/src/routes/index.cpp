#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/stream",
          [](fw::Request&, fw::Response& res) { res.stream(responses::chunks({"abc"})); });

  app.get("/x", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/big", [](fw::Request& req, fw::Response& res) {
    res.json(std::string(std::stoul(std::string(req.query("n").value_or("0"))), 'x'));
  });

  app.get("/e500", [](fw::Request&, fw::Response& res) { res.json(1, 500); });
});
