#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/",
           {.validate = {.body = {{"name", "string:1-50"}}}},
           create);
});
