#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id",
          {.responses = {{"200", {{"id", "uuid"}}}},
           .docs = {.responses = {{"200", {.schema = {{"id", "string"}}}}}}},
          show);
});
