// Drogon: its event loops, jsoncpp for JSON, the order checked by hand.
#include <cstdlib>
#include <drogon/drogon.h>

#include "workload.hpp"

namespace {

using Callback = std::function<void(const drogon::HttpResponsePtr&)>;

void send(const Callback& callback, const Json::Value& body,
          drogon::HttpStatusCode status = drogon::k200OK) {
  const auto response = drogon::HttpResponse::newHttpJsonResponse(body);
  response->setStatusCode(status);
  callback(response);
}

bench::Order<std::string> read_order(const Json::Value& json) {
  bench::Order<std::string> order;
  order.customer = json["customer"].asString();
  order.email = json["email"].asString();
  order.currency = json["currency"].asString();
  if (json.isMember("note")) order.note = json["note"].asString();
  for (const auto& item : json["items"]) {
    order.items.push_back({.sku = item["sku"].asString(),
                           .name = item["name"].asString(),
                           .quantity = item["quantity"].asInt64(),
                           .price = item["price"].asDouble()});
  }
  return order;
}

void place_order(const drogon::HttpRequestPtr& request, Callback&& callback) {
  Json::Value body;
  const auto json = request->getJsonObject();
  try {
    if (!json) throw std::invalid_argument("body");
    const auto placed = bench::place_order(read_order(*json));
    body["id"] = placed.id;
    body["status"] = placed.status;
    body["count"] = placed.count;
    body["total"] = placed.total;
  } catch (const std::exception& error) {
    body["error"] = error.what();
    return send(callback, body, drogon::k400BadRequest);
  }
  send(callback, body, drogon::k201Created);
}

void list_articles(const drogon::HttpRequestPtr&, Callback&& callback) {
  Json::Value body;
  auto& items = body["items"] = Json::Value(Json::arrayValue);
  for (const auto& article : bench::articles()) {
    auto& item = items.append(Json::Value());
    item["sku"] = article.sku;
    item["name"] = article.name;
    item["quantity"] = article.quantity;
    item["price"] = article.price;
  }
  send(callback, body);
}

}  // namespace

int main(int, char** argv) {
  auto& app = drogon::app();
  app.registerHandler("/hello",
                      [](const drogon::HttpRequestPtr&, Callback&& callback) {
                        Json::Value body;
                        body["message"] = "Hello, World!";
                        body["version"] = 1;
                        body["ok"] = true;
                        send(callback, body);
                      },
                      {drogon::Get});
  app.registerHandler(
      "/users/{id}",
      [](const drogon::HttpRequestPtr&, Callback&& callback, const std::string& id) {
        Json::Value body;
        body["id"] = id;
        body["name"] = "Ada Lovelace";
        body["active"] = true;
        send(callback, body);
      },
      {drogon::Get});
  app.registerHandler("/orders", &place_order, {drogon::Post});
  app.registerHandler("/articles", &list_articles, {drogon::Get});
  app.registerHandler("/upload",
                      [](const drogon::HttpRequestPtr& request, Callback&& callback) {
                        Json::Value body;
                        body["size"] = static_cast<Json::UInt64>(request->getBody().size());
                        send(callback, body);
                      },
                      {drogon::Post});
  app.setDocumentRoot(".")  // the directory `static` is in it
      .setClientMaxBodySize(2 * bench::kUpload)
      .setClientMaxMemoryBodySize(2 * bench::kUpload)
      .setLogLevel(trantor::Logger::kWarn)
      .enableGzip(bench::compresses())
      .setThreadNum(static_cast<std::size_t>(bench::threads()));
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  if (const auto certificate = bench::certificate()) {
    app.addListener("127.0.0.1", port, true, certificate->chain, certificate->key);
  } else {
    app.addListener("127.0.0.1", port);
  }
  app.run();
}
