#include <fairway/routes.hpp>

#include "models/product.hpp"
#include "services/product_store.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              // The list is the same for everybody, whether signed in or not.
              .cache = {{.ttl = 60'000, .tags = {kProductsTag}, .allow_authorization_cache = true}},
              .docs = {.summary = "List products", .operation_id = "listProducts"},
          },
          [&app](fw::Query<ProductFilter> filter) -> std::vector<Product> {
            return app.services().get<ProductStore>().list(*filter);
          });

  app.get("/:id", {.docs = {.summary = "Read a product", .operation_id = "getProduct"}},
          [&app](fw::Param<ById> param) -> Product {
            auto product = app.services().get<ProductStore>().find(param->id);
            if (!product) app.raise(404, "product.notFound", {{"id", param->id}});
            return *std::move(product);
          });
});
