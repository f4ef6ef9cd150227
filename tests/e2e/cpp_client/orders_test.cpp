// Every operation of the orders sample, with success, by its generated client.
#include <future>

#include "cpp_client/orders_server.hpp"

namespace orders_test {

using e2e::OrdersServer;

TEST_CASE("cpp client: the operations of the orders service") {
  OrdersServer server;
  auto client = server.client();
  CHECK(client.health().status == orders_api::Health::Status::ok);

  const auto ada = client.createCustomer({.body = e2e::customer("ada+l@example.com")});
  CHECK(ada.address.city == "London");
  CHECK(!ada.address.zip);
  CHECK(client.findCustomer({.email = "ada+l@example.com"}).id == ada.id);
  CHECK(client.listCustomers().size() == 1);
  CHECK(client.listCustomers({.limit = 1}).front().email == "ada+l@example.com");

  orders_api::ResponseInfo response;
  const auto order = client.createOrder(
      {.body = {.customerId = ada.id,
                .items = {{.productId = 1, .quantity = 2}, {.productId = 3, .quantity = 10}},
                .note = "by \xE2\x9C\x88"}},
      {.response = &response});
  CHECK(response.status == 201);
  CHECK(response.request_id.size() == 36);
  CHECK(response.header("content-type").starts_with("application/json"));
  CHECK(order.totalCents == 2 * 4200 + 10 * 950);
  CHECK(order.status == orders_api::OrderStatus::open);
  CHECK(order.note == "by \xE2\x9C\x88");
  CHECK(client.getOrder({.id = order.id}).items.size() == 2);

  const auto paid =
      client.updateOrder({.id = order.id, .body = {.status = orders_api::OrderStatus::paid}});
  CHECK(to_string(paid.status) == "paid");
  CHECK(client.listOrders({.status = orders_api::OrderStatus::paid}).size() == 1);
  CHECK(client.listOrders({.status = orders_api::OrderStatus::open}).empty());
  client.deleteOrder({.id = order.id}, {.response = &response});
  CHECK(response.status == 204);
  CHECK(client.listOrders().empty());
}

TEST_CASE("cpp client: catalogue operations with the administrator's token") {
  OrdersServer server;
  auto client = server.client();
  CHECK(client.listProducts().size() == 3);
  CHECK(client.listProducts({.maxPriceCents = 5000, .limit = 1}).front().id == 1);
  const auto games = client.listProducts({.category = orders_api::Category::games});
  CHECK(games.front().name == "Wooden Chess Set");

  const auto go = client.createProduct(
      {.body = {.name = "Go", .category = orders_api::Category::games, .priceCents = 3000}});
  CHECK(client.getProduct({.id = go.id}).name == "Go");
  const auto cheaper = client.updateProduct({.id = go.id,
                                             .body = {.name = "Go",
                                                      .category = orders_api::Category::games,
                                                      .priceCents = 2500,
                                                      .description = "Now cheaper"}});
  CHECK(cheaper.priceCents == 2500);
  CHECK(cheaper.description == "Now cheaper");
  client.deleteProduct({.id = go.id});
  CHECK(e2e::thrown_by<orders_api::ApiError>([&] { client.getProduct({.id = go.id}); }).status() ==
        404);
}

TEST_CASE("cpp client: the token function is called before each request") {
  OrdersServer server;
  std::string token = "customer-token";
  int asked = 0;
  orders_api::OrdersClient client({.base_url = server.url(), .token = [&] {
                                     ++asked;
                                     return token;
                                   }});
  CHECK(e2e::thrown_by<orders_api::ApiError>([&] { client.deleteProduct({.id = 1}); }).status() ==
        403);
  token = "admin-token";
  client.deleteProduct({.id = 1});
  CHECK(asked == 2);
}

TEST_CASE("cpp client: request ids are sent to the service and are in its log") {
  OrdersServer server;
  orders_api::OrdersClient client(
      {.base_url = server.url(), .token = "admin-token", .request_id = [] { return "job-1"; }});
  orders_api::ResponseInfo response;
  client.health({.response = &response});
  CHECK(response.request_id == "job-1");
  client.health({.request_id = "call-2", .response = &response});
  CHECK(response.request_id == "call-2");
  const auto error = e2e::thrown_by<orders_api::ApiError>(
      [&] { client.getOrder({.id = 4711}, {.request_id = "call-3"}); });
  CHECK(error.request_id() == "call-3");
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
  CHECK(server.process().standard_output().find(R"("requestId":"call-2")") != std::string::npos);
}

TEST_CASE("cpp client: several threads share one client") {
  OrdersServer server;
  auto client = server.client();
  std::vector<std::future<std::size_t>> results;
  for (int thread = 0; thread < 8; ++thread) {
    results.push_back(std::async(std::launch::async, [&] {
      std::size_t products = 0;
      for (int i = 0; i < 25; ++i) products += client.listProducts().size();
      return products;
    }));
  }
  for (auto& result : results) CHECK(result.get() == 75);
}

TEST_CASE("cpp client: a stopped service is an error of the next call") {
  auto server = std::make_unique<OrdersServer>();
  auto client = server->client();
  client.health();
  server->process().signal(SIGTERM);
  CHECK(server->process().wait() == 0);
  const auto error =
      e2e::thrown_by<orders_api::TransportError>([&] { client.createOrder({.body = {}}); });
  CHECK(error.kind() == orders_api::TransportError::Kind::connect);
}

}  // namespace orders_test
