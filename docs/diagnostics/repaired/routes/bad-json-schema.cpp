#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.responses = {{"200", fw::json_schema(R"({"type": "string"})")}}},
          list);
});
