// The visitor's own page, which a script shows from its data.
#include <fairway/fairway.hpp>

#include "services/stock.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.hidden = true},
           .frontend = {.page = "account",
                        .client_only = true,
                        .seo = {{"title", "Your account"}, {"robots", "noindex"}}}},
          [](fw::Request& req, fw::Response& res) {
            const auto cart = req.session().get<fw::Json>("cart").value_or(fw::Json::object());
            res.set_header("cache-control", "no-store")
                .render("account", {{"orders", req.session().get<int>("orders").value_or(0)},
                                    {"products", cart.size()}});
          });
});
