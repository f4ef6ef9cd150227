#include <fairway/fairway.hpp>

#include "response-mismatch.routes.hpp"

struct Member {
  std::int64_t id;
};

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.responses = {{"200", {{"id", "integer"}, {"name", "string"}}}}},
          [](fw::Request&, fw::Response& res) { res.json(Member{.id = 7}); });
});
