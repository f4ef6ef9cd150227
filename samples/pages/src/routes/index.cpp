// The list of products, which is the same for all visitors, and at most ten seconds old.
#include <fairway/fairway.hpp>

#include "services/stock.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.hidden = true},
           .frontend = {.page = "index",
                        .data = {{"products", fw::array_of({{"id", "string"},
                                                            {"name", "string"},
                                                            {"price", "string"},
                                                            {"isScarce", "boolean"},
                                                            {"left", "integer"}})}},
                        .mode = "revalidate",
                        .revalidate = 10,
                        .seo = {{"title", "Fairway Shop"},
                                {"description", "A few good things for a desk."}}}},
          [&app](fw::Request&, fw::Response& res) {
            res.render("index", {{"products", app.services().get<Stock>().list()}});
          });
});
