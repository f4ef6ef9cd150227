// The mistakes of docs/pictures/diagnostics.svg and editor.svg.
#include <fairway/fairway.hpp>

#include "orders.routes.hpp"

namespace {

struct NewOrder {
  std::string product;
  fw::Field<"integr:1-100"> quantity;
};

struct Order {
  std::int64_t id;
  std::string_view product;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.middlewares = {"adit"}},
           [](fw::Body<NewOrder>) -> fw::Created<Order> { return Order{7, "tea"}; });
  app.get("/{id}", [](fw::Request&) -> Order { return {7, "tea"}; });
});
