#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/",
           {.validate = {.body = {{"title", "string!"}}},
            .multipart = {.enabled = true, .files = {{"picture", "A picture"}}}},
           create);
});
