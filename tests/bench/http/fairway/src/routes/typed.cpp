// GET /hello and POST /orders with C++ types.
#include <fairway/fairway.hpp>

#include "../models/order.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/hello", {.docs = {.operation_id = "typedHello"}}, []() -> bench::Greeting {
    return {.message = "Hello, World!", .version = 1, .ok = true};
  });

  app.post("/orders", {.docs = {.operation_id = "createTypedOrder"}},
           [](fw::Body<bench::NewOrder> order) -> fw::Created<bench::Order> {
             double total = 0;
             std::int64_t count = 0;
             for (const bench::Item& item : order->items) {
               count += item.quantity;
               total += static_cast<double>(item.quantity.value()) * item.price;
             }
             return bench::Order{.id = 4711, .status = "open", .count = count, .total = total};
           });
});
