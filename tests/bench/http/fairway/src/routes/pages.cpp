// A list of 20 products as a page, for pages.mjs: rendered for each request, and static.
#include <fairway/fairway.hpp>

#include <string>
#include <vector>

namespace {

struct Product {
  std::string id;
  std::string name;
  std::string text;
  std::string price;
  bool is_scarce = false;
  int left = 0;
  FW_JSON(Product, id, name, text, price, (is_scarce, "isScarce"), left)
};

struct ProductList {
  std::string heading;
  std::vector<Product> products;
  FW_JSON(ProductList, heading, products)
};

ProductList list_products() {
  ProductList list{.heading = "Products", .products = {}};
  for (int i = 0; i < 20; ++i) {
    list.products.push_back({.id = "p" + std::to_string(i),
                             .name = "Product & more " + std::to_string(i),
                             .text = "A few words about it, as a list of products has them.",
                             .price = "12.50 €",
                             .is_scarce = i % 4 == 0,
                             .left = i});
  }
  return list;
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/list", [](fw::Request&, fw::Response& res) {
    res.render("list", list_products(), {.seo = {{"title", "Products"}}});
  });
  app.get("/static", {.frontend = {.page = "about", .mode = "static"}},
          [](fw::Request&, fw::Response&) {});
});
