// Fills an empty shop with a few products.
#include <fairway/fairway.hpp>

#include "services/product_store.hpp"

FW_EXPORT_DEFAULT = fw::define_plugin({
    .name = "catalogue",
    .setup =
        [](fw::App& app) {
          auto& products = app.services().get<ProductStore>();
          if (!products.list({.category = {}, .max_price_cents = {}, .limit = 1}).empty()) return;
          products.create({.name = "The Compiler Book",
                           .category = Category::books,
                           .price_cents = 4200,
                           .description = "From source text to machine code"});
          products.create({.name = "Wooden Chess Set",
                           .category = Category::games,
                           .price_cents = 5900,
                           .description = std::nullopt});
          products.create({.name = "Pocket Screwdriver",
                           .category = Category::tools,
                           .price_cents = 950,
                           .description = std::nullopt});
        },
});
