// Everything that changes the catalogue needs the role "admin".
#include <fairway/routes.hpp>

#include "models/product.hpp"
#include "services/product_store.hpp"
#include "shared/roles.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/",
           {
               .auth = roles::kAdmin,
               .middlewares = {"audit-log"},
               .docs = {.summary = "Add a product", .operation_id = "createProduct"},
           },
           [&app](fw::Body<NewProduct> body) -> fw::Created<Product> {
             Product product = app.services().get<ProductStore>().create(*body);
             app.cache().invalidate(kProductsTag);
             return product;
           });

  app.put("/:id",
          {
              .auth = roles::kAdmin,
              .middlewares = {"audit-log"},
              .docs = {.summary = "Replace a product", .operation_id = "updateProduct"},
          },
          [&app](fw::Param<ById> param, fw::Body<NewProduct> body) -> Product {
            auto product = app.services().get<ProductStore>().update(param->id, *body);
            if (!product) app.raise(404, "product.notFound", {{"id", param->id}});
            app.cache().invalidate(kProductsTag);
            return *std::move(product);
          });

  app.del("/:id",
          {
              .auth = roles::kAdmin,
              .middlewares = {{"audit-log", {{"level", "warn"}}}},
              .docs = {.summary = "Remove a product",
                       .operation_id = "deleteProduct",
                       .responses = {{"204", {.description = "The product is gone"}}}},
          },
          [&app](fw::Param<ById> param) -> fw::NoContent {
            if (!app.services().get<ProductStore>().remove(param->id)) {
              app.raise(404, "product.notFound", {{"id", param->id}});
            }
            app.cache().invalidate(kProductsTag);
            return {};
          });
});
