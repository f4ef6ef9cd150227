// POST of an order.
#include <fairway/fairway.hpp>

#include "orders.routes.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/",
           {
               .validate = {.body = {{"customer", "string:1-80"},
                                     {"email", "email"},
                                     {"currency", "enum:EUR,USD,GBP"},
                                     {"note", "string:0-200?"},
                                     {"items", fw::array_of({{"sku", "string:1-20"},
                                                             {"name", "string:1-80"},
                                                             {"quantity", "integer:1-1000"},
                                                             {"price", "number:0-100000"}})}}},
               .responses = {{"201",
                              {{"id", "integer"},
                               {"status", "string"},
                               {"count", "integer"},
                               {"total", "number"}}}},
               .docs = {.operation_id = "createOrder"},
           },
           [](fw::Request& req, fw::Response& res) {
             const auto& order = req.valid<routes::orders::CreateOrder::Body>();
             double total = 0;
             std::int64_t count = 0;
             for (const auto& item : order.items) {
               count += item.quantity;
               total += static_cast<double>(item.quantity) * item.price;
             }
             res.json(
                 routes::orders::CreateOrder::Response201{
                     .id = 4711, .status = "open", .count = count, .total = total},
                 201);
           });
});
