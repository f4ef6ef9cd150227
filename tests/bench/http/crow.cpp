// Crow: its workers and its JSON, the order checked by hand. Files are served by its own route for
// the directory `static`.
#define CROW_ENABLE_COMPRESSION
#define CROW_ENABLE_SSL
#include <crow.h>
#include <cstdlib>

#include "workload.hpp"

namespace {

bench::Order<std::string> read_order(const crow::json::rvalue& json) {
  bench::Order<std::string> order;
  order.customer = json["customer"].s();
  order.email = json["email"].s();
  order.currency = json["currency"].s();
  if (json.has("note")) order.note = json["note"].s();
  for (const auto& item : json["items"]) {
    order.items.push_back({.sku = item["sku"].s(),
                           .name = item["name"].s(),
                           .quantity = item["quantity"].i(),
                           .price = item["price"].d()});
  }
  return order;
}

crow::response place_order(const crow::request& request) {
  const auto json = crow::json::load(request.body);
  if (!json) return crow::response(400);
  try {
    const auto placed = bench::place_order(read_order(json));
    return {201, crow::json::wvalue{{"id", placed.id},
                                    {"status", placed.status},
                                    {"count", placed.count},
                                    {"total", placed.total}}};
  } catch (const std::exception& error) {
    return {400, crow::json::wvalue{{"error", error.what()}}};
  }
}

crow::json::wvalue list_articles() {
  crow::json::wvalue body;
  auto& items = body["items"];
  unsigned count = 0;
  for (const auto& article : bench::articles()) {
    auto& item = items[count++];
    item["sku"] = article.sku;
    item["name"] = article.name;
    item["quantity"] = article.quantity;
    item["price"] = article.price;
  }
  return body;
}

}  // namespace

int main(int, char** argv) {
  crow::SimpleApp app;
  CROW_ROUTE(app, "/hello")
  ([] { return crow::json::wvalue{{"message", "Hello, World!"}, {"version", 1}, {"ok", true}}; });
  CROW_ROUTE(app, "/users/<string>")
  ([](const std::string& id) {
    return crow::json::wvalue{{"id", id}, {"name", "Ada Lovelace"}, {"active", true}};
  });
  CROW_ROUTE(app, "/orders").methods(crow::HTTPMethod::Post)(place_order);
  CROW_ROUTE(app, "/upload").methods(crow::HTTPMethod::Post)([](const crow::request& request) {
    return crow::json::wvalue{{"size", request.body.size()}};
  });
  CROW_ROUTE(app, "/articles")(list_articles);
  if (bench::compresses()) app.use_compression(crow::compression::GZIP);
  if (const auto certificate = bench::certificate()) {
    app.ssl_file(certificate->chain, certificate->key);
  }
  app.loglevel(crow::LogLevel::Warning);
  // One of the threads accepts connections and serves none.
  app.bindaddr("127.0.0.1")
      .port(static_cast<std::uint16_t>(std::atoi(argv[1])))
      .concurrency(static_cast<unsigned>(bench::threads()) + 1)
      .run();
}
