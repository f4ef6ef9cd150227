#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(
      "/missing",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.json({{"id", 1}}); });
});
