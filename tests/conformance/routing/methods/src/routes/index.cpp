#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/only-get", [](fw::Request& req, fw::Response& res) { responses::facts(req, res); });

  app.post("/only-post", [](fw::Request& req, fw::Response& res) { responses::facts(req, res); });

  app.put("/rw", [](fw::Request& req, fw::Response& res) { responses::facts(req, res); });

  app.patch("/rw", [](fw::Request& req, fw::Response& res) { responses::facts(req, res); });

  app.del("/rw", [](fw::Request& req, fw::Response& res) { responses::facts(req, res); });

  app.head("/has-head",
           [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "head"); });

  app.get("/has-head",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "get-of-head"); });

  app.get("/t/:id", [](fw::Request& req, fw::Response& res) { responses::facts(req, res); });
});
