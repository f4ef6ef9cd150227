#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/none", responses::uploads);

  app.post("/optout", {.multipart = {.enabled = false}}, responses::uploads);

  app.post("/filesonly", {.multipart = {.files = {{"a", {.required = true}}}}}, responses::uploads);

  app.post("/up",
           {.multipart = {.enabled = true,
                          .files = {{"avatar", {.description = "pic", .required = true}},
                                    {"docs", "documents"}}}},
           responses::uploads);

  app.post("/limits",
           {.multipart = {.enabled = true,
                          .max_files = 1,
                          .max_file_size = 5,
                          .allowed_mime_types = {"text/plain"}}},
           responses::uploads);
});
