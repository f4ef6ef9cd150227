// The cart of a visitor, in the session, and orders. Forms are sent with a CSRF token, and end in a
// redirect.
#include <fairway/fairway.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cart.routes.hpp"
#include "services/orders_api.hpp"
#include "shared/display.hpp"

namespace {

constexpr std::int64_t kMaxQuantity = 9;     // of one product
constexpr std::size_t kMaxShownOrders = 20;  // that the account shows

/// A field of the form for the first order; `name` is a member of NewCustomer.
struct Field {
  const char* name;
  const char* label;
  const char* type;
  const char* autocomplete;
  bool is_required;
};

constexpr Field kFields[] = {
    {"name", "Name", "text", "name", true},
    {"email", "E-mail address", "email", "email", true},
    {"street", "Street and number", "text", "address-line1", true},
    {"zip", "Postal code", "text", "postal-code", false},
    {"city", "City", "text", "address-level2", true},
};

/// The quantities by product id.
fw::Json quantities_of(fw::Request& req) {
  return req.session().get<fw::Json>("cart").value_or(fw::Json::object());
}

struct Cart {
  std::vector<OrderItem> items;
  fw::Json lines = fw::Json::array();  ///< the items, as they are shown
  std::int64_t cents = 0;
  bool was_reduced = false;
};

/// The cart at current prices, without products that are no longer sold.
Cart load_cart(const fw::Router& app, fw::Request& req) {
  Cart cart;
  const fw::Json quantities = quantities_of(req);
  if (quantities.empty()) return cart;
  fw::Json kept = fw::Json::object();
  for (const Product& product : app.services().get<OrdersApi>().products(req)) {
    const std::string id = std::to_string(product.id);
    const auto quantity = quantities.value(id, std::int64_t{0});
    if (quantity == 0) continue;
    kept[id] = quantity;
    cart.items.push_back({.product_id = product.id, .quantity = quantity});
    cart.lines.push_back({{"id", product.id},
                          {"url", shop::page_of(product.id)},
                          {"name", product.name},
                          {"price", shop::price(product.cents)},
                          {"quantity", quantity},
                          {"sum", shop::price(product.cents * quantity)}});
    cart.cents += product.cents * quantity;
  }
  cart.was_reduced = kept.size() < quantities.size();
  if (cart.was_reduced) req.session().set("cart", kept);
  return cart;
}

/// The form with what the visitor had typed, and an error beside each field that has one.
fw::Json form_fields(const fw::Json& typed, const std::vector<fw::FieldError>& errors) {
  fw::Json fields = fw::Json::array();
  for (const Field& field : kFields) {
    const auto error = std::ranges::find(errors, field.name, &fw::FieldError::field);
    fields.push_back({{"name", field.name},
                      {"label", field.label},
                      {"type", field.type},
                      {"autocomplete", field.autocomplete},
                      {"isRequired", field.is_required},
                      {"value", typed.value(field.name, "")},
                      {"error", error == errors.end() ? "" : error->message}});
  }
  return fields;
}

/// What is shown with the cart after an order that could not be placed.
struct Problem {
  std::string message = {};
  int status = 200;
  fw::Json typed = fw::Json::object();
  std::vector<fw::FieldError> errors = {};
};

void render_cart(fw::Request& req, fw::Response& res, const Cart& cart, Problem problem = {}) {
  const fw::Session& session = req.session();
  const auto customer = session.get<Customer>("customer");
  if (problem.message.empty() && cart.was_reduced) {
    problem.message = "Something is no longer for sale, and has been taken out of your cart.";
  }
  fw::Json data = {{"lines", cart.lines},
                   {"hasLines", !cart.lines.empty()},
                   {"total", shop::price(cart.cents)},
                   {"problem", problem.message},
                   {"csrf", req.csrf_token()}};
  if (customer) {
    data["customer"] = *customer;
  } else {
    data["fields"] = form_fields(problem.typed, problem.errors);
  }
  const auto orders = session.get<fw::Json>("orders");
  if (orders && req.query("ordered")) data["ordered"] = orders->front();
  res.render("cart", data, {.seo = {{"title", "Your cart"}}, .status = problem.status});
}

/// The newest order first, for the account.
void remember_order(fw::Session& session, const PlacedOrder& placed, const Cart& cart) {
  fw::Json order = {{"id", placed.id}, {"total", shop::price(placed.cents)}};
  for (const fw::Json& line : cart.lines) {
    order["items"].push_back({{"name", line["name"]}, {"quantity", line["quantity"]}});
  }
  auto orders = session.get<std::vector<fw::Json>>("orders").value_or(std::vector<fw::Json>());
  orders.insert(orders.begin(), order);
  orders.resize(std::min(orders.size(), kMaxShownOrders));
  session.set("orders", orders);
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(
      "/",
      {.validate = {.query = {{"ordered", "string?"}}},
       .docs = {.hidden = true},
       .frontend = {.hydration = "none"}},
      [&app](fw::Request& req, fw::Response& res) { render_cart(req, res, load_cart(app, req)); });

  app.get("/add/:id",
          {.validate = {.param = {{"id", "integer:1-"}}},
           .docs = {.operation_id = "showAdd", .hidden = true},
           .frontend = {.data = {{"id", "integer"},
                                 {"name", "string"},
                                 {"description", "string?"},
                                 {"price", "string"},
                                 {"most", "integer"},
                                 {"csrf", "string"}},
                        .hydration = "none",
                        .seo = {{"title", "Add to the cart"}}}},
          [&app](fw::Request& req, fw::Response& res) {
            const std::int64_t id = req.valid<routes::cart::ShowAdd::Param>().id;
            const Product product = app.services().get<OrdersApi>().product(req, id);
            fw::Json data = {{"id", id},
                             {"name", product.name},
                             {"price", shop::price(product.cents)},
                             {"most", kMaxQuantity},
                             {"csrf", req.csrf_token()}};
            if (product.description) data["description"] = *product.description;
            res.render("add", data);
          });

  // Adds to the quantity; 0 takes the product out.
  app.post("/",
           {.validate = {.body = {{"id", "integer:1-"}, {"quantity", "integer:0-9"}}},
            .docs = {.operation_id = "changeCart", .hidden = true}},
           [&app](fw::Request& req, fw::Response& res) {
             const auto& body = req.valid<routes::cart::ChangeCart::Body>();
             const std::string id = std::to_string(body.id);
             fw::Json cart = quantities_of(req);
             if (body.quantity == 0) {
               cart.erase(id);
             } else {
               app.services().get<OrdersApi>().product(req, body.id);  // or 404
               cart[id] = std::min(cart.value(id, std::int64_t{0}) + body.quantity, kMaxQuantity);
             }
             req.session().set("cart", cart);
             res.redirect("/cart");
           });

  // The first order of a session registers the customer. The API knows what a valid customer is.
  app.post("/order",
           {.validate = {.body = {{"name", "string?"},
                                  {"email", "string?"},
                                  {"street", "string?"},
                                  {"zip", "string?"},
                                  {"city", "string?"}}},
            .docs = {.operation_id = "placeOrder", .hidden = true}},
           [&app](fw::Request& req, fw::Response& res) {
             auto& api = app.services().get<OrdersApi>();
             fw::Session& session = req.session();
             const Cart cart = load_cart(app, req);
             if (cart.items.empty() || cart.was_reduced) {
               return render_cart(req, res, cart, {.status = 409});
             }

             auto customer = session.get<Customer>("customer");
             if (!customer) {
               const auto& body = req.valid<routes::cart::PlaceOrder::Body>();
               const NewCustomer typed = {.name = body.name.value_or(""),
                                          .email = body.email.value_or(""),
                                          .street = body.street.value_or(""),
                                          .city = body.city.value_or(""),
                                          .zip = body.zip.value_or("")};
               try {
                 customer = api.register_customer(req, typed);
               } catch (const fw::ValidationError& error) {
                 return render_cart(
                     req, res, cart,
                     {.message = "Nothing has been ordered yet. Please correct the form.",
                      .status = error.status(),
                      .typed = typed,
                      .errors = error.errors()});
               }
               session.regenerate();
               session.set("customer", *customer);
             }

             const auto order = api.place_order(req, customer->id, cart.items);
             if (!order) {
               session.erase("customer");
               return render_cart(
                   req, res, cart,
                   {.message = "We do not know you any more. Please fill in the form again.",
                    .status = 409});
             }
             remember_order(session, *order, cart);
             session.erase("cart");
             res.redirect("/cart?ordered=1");
           });
});
