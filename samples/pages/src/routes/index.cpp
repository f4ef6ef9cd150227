// The list of products, which is the same for all visitors, and at most ten seconds old.
#include <fairway/fairway.hpp>

#include "services/orders_api.hpp"
#include "shared/display.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.hidden = true},
           .frontend = {.page = "index",
                        .data = {{"products", fw::array_of({{"url", "string"},
                                                            {"name", "string"},
                                                            {"category", "string"},
                                                            {"price", "string"}})}},
                        .mode = "revalidate",
                        .revalidate = 10,
                        .seo = {{"title", "Fairway Shop"},
                                {"description", "A few good things for a desk."}}}},
          [&app](fw::Request& req, fw::Response& res) {
            fw::Json products = fw::Json::array();
            for (const Product& product : app.services().get<OrdersApi>().products(req)) {
              products.push_back({{"url", shop::page_of(product.id)},
                                  {"name", product.name},
                                  {"category", product.category},
                                  {"price", shop::price(product.cents)}});
            }
            res.render("index", {{"products", products}});
          });
});
