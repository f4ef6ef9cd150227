#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.validate = {.query = {{"sort", "enum:name,date,created at,created-at"}}}},
          list);
});
