#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "users-root"); });

  app.get("/list",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "users-list"); });

  app.get("/:id",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "users-id"); });

  app.get("/:id/posts/:postId",
          [](fw::Request& req, fw::Response& res) { responses::tagged(req, res, "users-posts"); });
});
