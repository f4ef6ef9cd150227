// Everything that changes the catalogue needs the role "admin".
#include <fairway/fairway.hpp>

#include "admin/products.routes.hpp"
#include "services/product_store.hpp"
#include "shared/limits.hpp"
#include "shared/roles.hpp"

namespace {

constexpr auto kCategory = "enum:books,games,tools";

const fw::SchemaMap kProduct = {{"id", limits::kId},
                                {"name", "string"},
                                {"category", kCategory},
                                {"priceCents", "integer"},
                                {"description", "string?"}};

const fw::SchemaMap kNewProduct = {{"name", limits::kName},
                                   {"category", kCategory},
                                   {"priceCents", limits::kPriceCents},
                                   {"description", "string:1-500?"}};

template <class Body>
Product product_from(const Body& body) {
  return {.id = 0,
          .name = body.name,
          .category = std::string(to_string(body.category)),
          .price_cents = body.priceCents,
          .description = body.description};
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/",
           {
               .validate = {.body = kNewProduct},
               .auth = roles::kAdmin,
               .middlewares = {"audit-log"},
               .responses = {{"201", kProduct}},
               .docs = {.summary = "Add a product", .operation_id = "createProduct"},
           },
           [&app](fw::Request& req, fw::Response& res) {
             const auto& body = req.valid<routes::admin::products::CreateProduct::Body>();
             const auto product = app.services().get<ProductStore>().create(product_from(body));
             app.cache().invalidate(kProductsTag);
             res.json(product, 201);
           });

  app.put("/:id",
          {
              .validate = {.param = {{"id", limits::kId}}, .body = kNewProduct},
              .auth = roles::kAdmin,
              .middlewares = {"audit-log"},
              .responses = {{"200", kProduct}},
              .docs = {.summary = "Replace a product", .operation_id = "updateProduct"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            using routes::admin::products::UpdateProduct;
            Product product = product_from(req.valid<UpdateProduct::Body>());
            product.id = req.valid<UpdateProduct::Param>().id;
            if (!app.services().get<ProductStore>().update(product)) {
              app.raise(404, "product.notFound", {{"id", product.id}});
            }
            app.cache().invalidate(kProductsTag);
            res.json(product);
          });

  app.del("/:id",
          {
              .validate = {.param = {{"id", limits::kId}}},
              .auth = roles::kAdmin,
              .middlewares = {{"audit-log", {{"level", "warn"}}}},
              .docs = {.summary = "Remove a product",
                       .operation_id = "deleteProduct",
                       .responses = {{204, {.description = "The product is gone"}}}},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto& param = req.valid<routes::admin::products::DeleteProduct::Param>();
            if (!app.services().get<ProductStore>().remove(param.id)) {
              app.raise(404, "product.notFound", {{"id", param.id}});
            }
            app.cache().invalidate(kProductsTag);
            res.json(nullptr, 204);
          });
});
