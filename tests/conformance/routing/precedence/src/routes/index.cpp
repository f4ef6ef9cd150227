#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/a/*", [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "wild"); });

  app.get("/a/:x",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "param"); });

  app.get("/a/static",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "static"); });

  app.get("/a/:x/tail",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "param-tail"); });

  app.get("/a/static/:y",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "static-param"); });

  app.get("/a/:x/:y",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "two-params"); });

  app.get("/b/*rest",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "named-wild"); });

  app.get("/b/lit",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "b-lit"); });

  app.get("/c/:id/x",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "c-param-x"); });

  app.get("/c/lit/:z",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "c-lit-z"); });

  app.get("/c/lit/x",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "c-lit-x"); });

  app.get("/d/:name.:ext",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "d-pattern"); });

  app.get("/d/:only",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "d-param"); });

  app.get("/near/:lat-:lng",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "near"); });
});
