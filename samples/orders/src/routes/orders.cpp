#include <fairway/fairway.hpp>

#include "orders.routes.hpp"
#include "services/customer_store.hpp"
#include "services/order_store.hpp"
#include "services/product_store.hpp"
#include "shared/limits.hpp"
#include "shared/roles.hpp"

namespace {

const fw::SchemaMap kOrder = {
    {"id", "integer"},
    {"customerId", "integer"},
    {"status", "enum:open,paid,shipped"},
    {"items",
     fw::array_of({{"productId", "integer"}, {"quantity", "integer"}, {"priceCents", "integer"}})},
    {"totalCents", "integer"},
    {"note", "string?"}};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              .validate = {.query = {{"status", "enum:open,paid,shipped?"},
                                     {"limit", limits::kPageSize}}},
              .auth = roles::kStaff,
              .responses = {{"200", fw::array_of(kOrder)}},
              .docs = {.summary = "List orders", .operation_id = "listOrders"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto& query = req.valid<routes::orders::ListOrders::Query>();
            std::optional<std::string> status;
            if (query.status) status = to_string(*query.status);
            res.json(app.services().get<OrderStore>().list(status, query.limit.value_or(20)));
          });

  app.post("/",
           {
               .validate = {.body = {{"customerId", limits::kId},
                                     {"items", fw::array_of({{"productId", limits::kId},
                                                             {"quantity", "integer:1-100"}})},
                                     {"note", "string:1-200?"}}},
               .auth = false,  // anybody may order
               .middlewares = {"audit-log"},
               .responses = {{"201", kOrder}},
               .docs = {.summary = "Place an order", .operation_id = "createOrder"},
           },
           [&app](fw::Request& req, fw::Response& res) {
             const auto& body = req.valid<routes::orders::CreateOrder::Body>();
             if (!app.services().get<CustomerStore>().find(body.customerId)) {
               app.raise(404, "customer.notFound", {{"id", body.customerId}});
             }
             Order order = {.id = 0,
                            .customer_id = body.customerId,
                            .status = "open",
                            .note = body.note,
                            .items = {}};
             for (const auto& item : body.items) {
               const auto product = app.services().get<ProductStore>().find(item.productId);
               if (!product) {
                 app.raise({.status = 404,
                            .message = "product.notFound",
                            .details = {{"productId", item.productId}},
                            .params = {{"id", item.productId}}});
               }
               order.items.push_back({.product_id = item.productId,
                                      .quantity = item.quantity,
                                      .price_cents = product->price_cents});
             }
             res.json(app.services().get<OrderStore>().create(std::move(order)), 201);
           });

  app.get("/:id",
          {
              .validate = {.param = {{"id", limits::kId}}},
              .auth = roles::kStaff,
              .responses = {{"200", kOrder}},
              .docs = {.summary = "Read an order", .operation_id = "getOrder"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto& param = req.valid<routes::orders::GetOrder::Param>();
            const auto order = app.services().get<OrderStore>().find(param.id);
            if (!order) app.raise(404, "order.notFound", {{"id", param.id}});
            res.json(*order);
          });

  app.patch("/:id",
            {
                .validate = {.param = {{"id", limits::kId}},
                             .body = {{"status", "enum:open,paid,shipped"}}},
                .auth = roles::kStaff,
                .middlewares = {"audit-log"},
                .responses = {{"200", kOrder}},
                .docs = {.summary = "Change the status of an order", .operation_id = "updateOrder"},
            },
            [&app](fw::Request& req, fw::Response& res) {
              using routes::orders::UpdateOrder;
              const auto id = req.valid<UpdateOrder::Param>().id;
              const auto status = req.valid<UpdateOrder::Body>().status;
              auto& orders = app.services().get<OrderStore>();
              if (!orders.set_status(id, std::string(to_string(status)))) {
                app.raise(404, "order.notFound", {{"id", id}});
              }
              res.json(*orders.find(id));
            });

  app.del("/:id",
          {
              .validate = {.param = {{"id", limits::kId}}},
              .auth = roles::kStaff,
              .middlewares = {"audit-log"},
              .docs = {.summary = "Delete an order",
                       .operation_id = "deleteOrder",
                       .responses = {{204, {.description = "The order is gone"}}}},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto& param = req.valid<routes::orders::DeleteOrder::Param>();
            if (!app.services().get<OrderStore>().remove(param.id)) {
              app.raise(404, "order.notFound", {{"id", param.id}});
            }
            res.json(nullptr, 204);
          });
});
