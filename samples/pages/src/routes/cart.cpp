// The cart of a visitor, in the session. Forms are sent with a CSRF token, and end in a redirect.
#include <fairway/fairway.hpp>

#include <algorithm>
#include <string>

#include "services/stock.hpp"

namespace {

constexpr int kMost = 9;

fw::Json quantities(fw::Request& req) {
  return req.session().get<fw::Json>("cart").value_or(fw::Json::object());
}

void render_cart(const fw::Router& app, fw::Request& req, fw::Response& res,
                 const std::string& problem = "") {
  fw::Json data = app.services().get<Stock>().cart(quantities(req));
  data["csrf"] = req.csrf_token();
  data["problem"] = problem;
  data["hasOrdered"] = req.query("ordered").has_value();
  res.render("cart", data,
             {.seo = {{"title", "Your cart"}}, .status = problem.empty() ? 200 : 409});
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.validate = {.query = {{"ordered", "string?"}}},
           .docs = {.hidden = true},
           .frontend = {.hydration = "none"}},
          [&app](fw::Request& req, fw::Response& res) { render_cart(app, req, res); });

  app.get("/add/:id",
          {.validate = {.param = {{"id", "string:1-40"}}},
           .docs = {.hidden = true},
           .frontend = {.data = {{"product",
                                  {{"id", "string"}, {"name", "string"}, {"price", "string"}}},
                                 {"csrf", "string"},
                                 {"most", "integer"}},
                        .hydration = "none",
                        .seo = {{"title", "Add to the cart"}}}},
          [&app](fw::Request& req, fw::Response& res) {
            const fw::Json* product = app.services().get<Stock>().find(*req.param("id"));
            if (product == nullptr) app.raise(404, "We do not sell that.");
            res.render("add", {{"product", *product}, {"csrf", req.csrf_token()}, {"most", kMost}});
          });

  app.post("/",
           {.validate = {.body = {{"id", "string:1-40"}, {"quantity", "integer:0-9"}}},
            .docs = {.hidden = true}},
           [&app](fw::Request& req, fw::Response& res) {
             const fw::Json& body = req.valid(fw::Location::body);
             const std::string id = body["id"];
             if (app.services().get<Stock>().find(id) == nullptr) {
               app.raise(404, "We do not sell that.");
             }
             fw::Json cart = quantities(req);
             cart[id] = std::min(cart.value(id, 0) + body["quantity"].get<int>(), kMost);
             if (body["quantity"] == 0) cart.erase(id);
             req.session().set("cart", cart);
             res.redirect("/cart");
           });

  app.post("/order", {.docs = {.hidden = true}}, [&app](fw::Request& req, fw::Response& res) {
    const auto missing = app.services().get<Stock>().order(quantities(req));
    if (missing) {
      return render_cart(app, req, res, "There are too few left: " + *missing + ".");
    }
    req.session().set("orders", req.session().get<int>("orders").value_or(0) + 1);
    req.session().erase("cart");
    res.redirect("/cart?ordered=1");
  });
});
