#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/up",
           {.multipart = {.enabled = true,
                          .files = {{"avatar", {.description = "pic", .required = true}},
                                    {"docs", "documents"}}}},
           answers::uploads);

  app.post("/limits",
           {.multipart = {.enabled = true,
                          .max_files = 1,
                          .max_file_size = 5,
                          .allowed_mime_types = {"text/plain"}}},
           answers::uploads);

  app.post("/vb", {.validate = {.body = {{"title", "string!"}}}, .multipart = {.enabled = true}},
           answers::uploads);

  app.post("/none", answers::uploads);

  app.post("/optout", {.multipart = {.enabled = false}}, answers::uploads);

  app.post("/filesonly", {.multipart = {.files = {{"a", {.required = true}}}}}, answers::uploads);

  app.post("/bodylimit", {.multipart = {.enabled = true}, .body_parser = {.max_body_size = 50}},
           answers::uploads);
});
