#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/ok/:id", {.validate = {.param = {{"id", "integer!"}}}},
          [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/err", [](fw::Request&, fw::Response&) { throw std::runtime_error("h"); });

  app.get("/fetch", [&app](fw::Request&, fw::Response& res) {
    bool threw = false;
    try {
      app.fetch("http://127.0.0.1:1/x");
    } catch (const fw::NetworkError&) {
      threw = true;
    }
    res.json({{"threw", threw}});
  });

  app.get("/proxy", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/z"});
  });

  app.get("/text", [](fw::Request&, fw::Response& res) { res.text("t"); });

  app.get("/stream", [](fw::Request&, fw::Response& res) { res.stream("s"); });

  app.get("/redirect", [](fw::Request&, fw::Response& res) { res.redirect("/x"); });
});
