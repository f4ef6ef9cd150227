#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/ok/:id", {.validate = {.param = {{"id", "integer!"}}}},
          [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/err", [](fw::Request&, fw::Response&) { throw std::runtime_error("h"); });

  app.get("/text", [](fw::Request&, fw::Response& res) { res.text("t"); });

  app.get("/stream", [](fw::Request&, fw::Response& res) { res.stream("s"); });

  app.get("/redirect", [](fw::Request&, fw::Response& res) { res.redirect("/x"); });
});
