// A page for each product, rendered by the build: its handler never runs.
#include "shared/products.hpp"

#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id",
          {.docs = {.hidden = true},
           .frontend = {.page = "product",
                        .mode = "static",
                        .static_params = shop::kProducts,
                        .hydration = "none",
                        .seo = {{"title", "{{params.name}} – Fairway Shop"},
                                {"description", "{{params.text}}"}}}},
          [](fw::Request&, fw::Response&) {});
});
