#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.multipart = {.enabled = true, .files = {{"avatar", "A picture"}}}}, create);
});
