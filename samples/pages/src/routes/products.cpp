// A page for each product, rendered when the program starts: its handler never runs.
#include "shared/products.hpp"

#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id",
          {.docs = {.hidden = true},
           .frontend = {.page = "product",
                        .mode = "static",
                        .static_params = shop::kProducts,
                        .hydration = "none",
                        .seo = {{"title", "Fairway Shop"}}}},
          [](fw::Request&, fw::Response&) {});
});
