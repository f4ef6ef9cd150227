#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/users/:id/orders", {.docs = {.operation_id = "listOrders"}}, orders);
});
