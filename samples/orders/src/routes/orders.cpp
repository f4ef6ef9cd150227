#include <fairway/routes.hpp>

#include "models/order.hpp"
#include "orders.routes.hpp"
#include "services/customer_store.hpp"
#include "services/order_store.hpp"
#include "services/product_store.hpp"
#include "shared/roles.hpp"

namespace {

struct OrderChange {
  OrderStatus status;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              .auth = roles::kStaff,
              .docs = {.summary = "List orders", .operation_id = "listOrders"},
          },
          [&app](fw::Query<OrderFilter> filter) -> std::vector<Order> {
            return app.services().get<OrderStore>().list(*filter);
          });

  app.post("/",
           {
               .auth = false,  // anybody may order
               .middlewares = {"audit-log"},
               .docs = {.summary = "Place an order", .operation_id = "createOrder"},
           },
           [&app](fw::Body<NewOrder> order) -> fw::Created<Order> {
             if (!app.services().get<CustomerStore>().find(order->customer_id)) {
               app.raise(404, "customer.notFound", {{"id", order->customer_id}});
             }
             std::vector<OrderLine> lines;
             for (const OrderItem& item : order->items) {
               const auto product = app.services().get<ProductStore>().find(item.product_id);
               if (!product) {
                 app.raise({.status = 404,
                            .message = "product.notFound",
                            .details = {{"productId", item.product_id}},
                            .params = {{"id", item.product_id}}});
               }
               lines.push_back({item, product->price_cents});
             }
             return app.services().get<OrderStore>().create(*order, std::move(lines));
           });

  app.get("/:id",
          {
              .auth = roles::kStaff,
              .docs = {.summary = "Read an order", .operation_id = "getOrder"},
          },
          [&app](fw::Param<ById> param) -> Order {
            auto order = app.services().get<OrderStore>().find(param->id);
            if (!order) app.raise(404, "order.notFound", {{"id", param->id}});
            return *std::move(order);
          });

  app.patch("/:id",
            {
                .auth = roles::kStaff,
                .middlewares = {"audit-log"},
                .docs = {.summary = "Change the status of an order", .operation_id = "updateOrder"},
            },
            [&app](fw::Param<ById> param, fw::Body<OrderChange> change) -> Order {
              auto& orders = app.services().get<OrderStore>();
              if (!orders.set_status(param->id, change->status)) {
                app.raise(404, "order.notFound", {{"id", param->id}});
              }
              return *orders.find(param->id);
            });

  app.del("/:id",
          {
              .auth = roles::kStaff,
              .middlewares = {"audit-log"},
              .docs = {.summary = "Delete an order",
                       .operation_id = "deleteOrder",
                       .responses = {{"204", {.description = "The order is gone"}}}},
          },
          [&app](fw::Param<ById> param) -> fw::NoContent {
            if (!app.services().get<OrderStore>().remove(param->id)) {
              app.raise(404, "order.notFound", {{"id", param->id}});
            }
            return {};
          });
});
