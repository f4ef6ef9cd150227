#include <fairway/fairway.hpp>

#include "products.routes.hpp"
#include "services/product_store.hpp"
#include "shared/limits.hpp"

namespace {

constexpr auto kCategory = "enum:books,games,tools";

const fw::SchemaMap kProduct = {{"id", limits::kId},
                                {"name", "string"},
                                {"category", kCategory},
                                {"priceCents", "integer"},
                                {"description", "string?"}};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              .validate = {.query = {{"category", "enum:books,games,tools?"},
                                     {"maxPriceCents", "integer:0-?"},
                                     {"limit", limits::kPageSize}}},
              // The list is the same for everybody, whether signed in or not.
              .cache = {{.ttl = 60'000, .tags = {kProductsTag}, .allow_authorization_cache = true}},
              .responses = {{"200", fw::array_of(kProduct)}},
              .docs = {.summary = "List products", .operation_id = "listProducts"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto& query = req.valid<routes::products::ListProducts::Query>();
            ProductFilter filter;
            if (query.category) filter.category = to_string(*query.category);
            filter.max_price_cents = query.maxPriceCents;
            filter.limit = query.limit.value_or(20);
            res.json(app.services().get<ProductStore>().list(filter));
          });

  app.get("/:id",
          {
              .validate = {.param = {{"id", limits::kId}}},
              .responses = {{"200", kProduct}},
              .docs = {.summary = "Read a product", .operation_id = "getProduct"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto& param = req.valid<routes::products::GetProduct::Param>();
            const auto product = app.services().get<ProductStore>().find(param.id);
            if (!product) app.raise(404, "product.notFound", {{"id", param.id}});
            res.json(*product);
          });
});
