// The visitor's own page, which a script shows from its data.
#include <fairway/fairway.hpp>

#include "services/orders_api.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.hidden = true},
           .frontend = {.page = "account",
                        .client_only = true,
                        .seo = {{"title", "Your account"}, {"robots", "noindex"}}}},
          [](fw::Request& req, fw::Response& res) {
            const fw::Session& session = req.session();
            const auto customer = session.get<Customer>("customer").value_or(Customer());
            const auto orders = session.get<fw::Json>("orders").value_or(fw::Json::array());
            const auto cart = session.get<fw::Json>("cart").value_or(fw::Json::object());
            res.set_header("cache-control", "no-store")
                .render(
                    "account",
                    {{"name", customer.name}, {"orders", orders}, {"productsInCart", cart.size()}});
          });
});
