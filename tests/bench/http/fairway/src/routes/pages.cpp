// A list of 20 products as a page, for pages.mjs: rendered for each request, and static.
#include <fairway/fairway.hpp>

#include <string>

namespace {

fw::Json products() {
  fw::Json list = fw::Json::array();
  for (int i = 0; i < 20; ++i) {
    list.push_back({{"id", "p" + std::to_string(i)},
                    {"name", "Product & more " + std::to_string(i)},
                    {"text", "A few words about it, as a list of products has them."},
                    {"price", "12.50 €"},
                    {"isScarce", i % 4 == 0},
                    {"left", i}});
  }
  return list;
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/list", [](fw::Request&, fw::Response& res) {
    res.render("list", {{"heading", "Products"}, {"products", products()}},
               {.seo = {{"title", "Products"}}});
  });
  app.get("/static", {.frontend = {.page = "list", .mode = "static"}},
          [](fw::Request&, fw::Response&) {});
});
