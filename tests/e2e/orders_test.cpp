// The orders sample from end to end: a real process on a free port, a fresh database.
#include <doctest/doctest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "database/database.hpp"
#include "eventually.hpp"
#include "redis_server.hpp"
#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace orders_test {

namespace {

using Json = nlohmann::json;

httplib::Headers bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }

/// What the program reads besides its environment. The engine of HTTP is the one that the
/// environment variable FAIRWAY_TEST_ENGINE names, if there is one.
void install_settings(const std::filesystem::path& directory, const Json& more) {
  for (const char* folder : {"config", "locales"}) {
    std::filesystem::copy(std::filesystem::path(FAIRWAY_ORDERS_DIR) / folder, directory / folder);
  }
  Json settings =
      Json::parse(R"({"app": {"tokens": {"clerk-token": {"userId": "2", "roles": ["clerk"]}}}})");
  if (const char* engine = std::getenv("FAIRWAY_TEST_ENGINE")) {
    settings["server"]["engine"] = engine;
  }
  settings.merge_patch(more);
  std::ofstream(directory / "config" / "local.json") << settings;
}

/// The sample running in an empty folder with its own configuration files and a token of the
/// administrator in its environment. `client` has a clerk's token.
class OrdersServer {
 public:
  explicit OrdersServer(const std::vector<std::string>& flags = {},
                        const Json& settings = Json::object())
      : directory_(),
        port_(e2e::free_port()),
        process_(start(flags, settings)),
        client_("127.0.0.1", port_) {
    REQUIRE(e2e::wait_until_listening(port_, process_));
    client_.set_default_headers(bearer("clerk-token"));
    client_.set_read_timeout(fairway::test::kPatience);
  }

  httplib::Client& client() { return client_; }
  e2e::ChildProcess& process() { return process_; }
  const std::filesystem::path& directory() const { return directory_.path(); }
  int port() const { return port_; }

 private:
  // A prvalue: the process is not movable.
  e2e::ChildProcess start(const std::vector<std::string>& flags, const Json& settings) {
    install_settings(directory_.path(), settings);
    setenv("ORDERS_ADMIN_TOKEN", "admin-token", 1);
    std::vector<std::string> arguments{"--host", "127.0.0.1", "--port", std::to_string(port_)};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return e2e::ChildProcess(FAIRWAY_ORDERS_PROGRAM, arguments, directory_.path());
  }

  fairway::test::TemporaryDirectory directory_;
  int port_;
  e2e::ChildProcess process_;
  httplib::Client client_;
};

Json body_of(const httplib::Result& result) {
  REQUIRE(result);
  return Json::parse(result->body);
}

Json customer(const std::string& email) {
  return {{"name", "Ada"},
          {"email", email},
          {"address", {{"street", "St James's Square 12"}, {"city", "London"}}}};
}

}  // namespace

TEST_CASE("orders: the first start creates the database and fills the catalogue") {
  OrdersServer server;
  CHECK(std::filesystem::exists(server.directory() / "orders.db"));
  const auto response = server.client().Get("/products");
  const Json body = body_of(response);
  CHECK(response->status == 200);
  CHECK(body.at("code") == 0);
  CHECK(body.at("data").size() == 3);
  CHECK(body.at("requestId") == response->get_header_value("x-request-id"));
}

TEST_CASE("orders: create, read, list, update, delete") {
  OrdersServer server;
  auto& client = server.client();

  const auto created =
      client.Post("/customers", customer("ada@example.com").dump(), "application/json");
  const Json ada = body_of(created).at("data");
  CHECK(created->status == 201);
  CHECK(ada.at("address").at("city") == "London");

  const Json order = {
      {"customerId", ada.at("id")},
      {"items", {{{"productId", 1}, {"quantity", 2}}, {{"productId", 3}, {"quantity", 10}}}},
      {"note", "by \xE2\x9C\x88"}};
  const auto placed = client.Post("/orders", order.dump(), "application/json");
  REQUIRE(placed);
  CHECK(placed->status == 201);
  const Json data = body_of(placed).at("data");
  CHECK(data.at("totalCents") == 2 * 4200 + 10 * 950);
  CHECK(data.at("status") == "open");
  CHECK(data.at("note") == "by \xE2\x9C\x88");
  const std::string path = "/orders/" + data.at("id").dump();

  CHECK(body_of(client.Get(path)).at("data") == data);

  const auto paid = client.Patch(path, R"({"status": "paid"})", "application/json");
  REQUIRE(paid);
  CHECK(paid->status == 200);
  CHECK(body_of(paid).at("data").at("status") == "paid");
  CHECK(body_of(client.Get("/orders?status=paid")).at("data").size() == 1);
  CHECK(body_of(client.Get("/orders?status=open")).at("data").empty());

  const auto deleted = client.Delete(path);
  REQUIRE(deleted);
  CHECK(deleted->status == 204);
  CHECK(deleted->body.empty());
  CHECK(client.Get(path)->status == 404);
}

TEST_CASE("orders: query values are converted") {
  OrdersServer server;
  const Json cheap = body_of(server.client().Get("/products?maxPriceCents=5000&limit=1"));
  REQUIRE(cheap.at("data").size() == 1);
  CHECK(cheap.at("data")[0].at("id") == 1);
  const Json games = body_of(server.client().Get("/products?category=games"));
  REQUIRE(games.at("data").size() == 1);
  CHECK(games.at("data")[0].at("name") == "Wooden Chess Set");
}

TEST_CASE("orders: a validation failure names every field") {
  OrdersServer server;
  const auto response = server.client().Post(
      "/orders", R"({"customerId": 0, "items": [{"quantity": 1000}]})", "application/json");
  const Json body = body_of(response);
  CHECK(response->status == 422);
  CHECK(body.at("code") == 422);
  CHECK(body.at("message") == "Validation failed");
  REQUIRE(body.at("errors").size() == 3);
  CHECK(body.at("errors")[0].at("field") == "customerId");
  CHECK(body.at("errors")[1].at("field") == "items/0/productId");
  CHECK(body.at("errors")[2].at("field") == "items/0/quantity");

  const auto parameter = server.client().Get("/orders/zero");
  CHECK(body_of(parameter).at("code") == 400);
  CHECK(parameter->status == 400);
}

TEST_CASE("orders: unknown paths, unknown ids and other methods") {
  OrdersServer server;
  const auto missing = server.client().Get("/nowhere");
  const Json body = body_of(missing);
  CHECK(missing->status == 404);
  CHECK(body == Json{{"code", 404}, {"message", "Not Found"}, {"requestId", body["requestId"]}});

  const auto unknown = server.client().Get("/products/4711");
  CHECK(unknown->status == 404);
  CHECK(body_of(unknown).at("code") == "PRODUCT_NOT_FOUND");

  const auto method = server.client().Put("/health", "{}", "application/json");
  REQUIRE(method);
  CHECK(method->status == 405);
  CHECK(method->get_header_value("Allow").find("GET") != std::string::npos);
}

TEST_CASE("orders: a malformed body is rejected and the connection stays open") {
  OrdersServer server;
  auto& client = server.client();
  client.set_keep_alive(true);
  const auto malformed = client.Post("/customers", R"({"name": )", "application/json");
  CHECK(body_of(malformed).at("message") == "Bad Request: invalid JSON in request body");
  CHECK(malformed->status == 400);
  CHECK(client.Get("/health")->status == 200);
}

TEST_CASE("orders: percent-encoded parameters are decoded") {
  OrdersServer server;
  auto& client = server.client();
  REQUIRE(
      client.Post("/customers", customer("ada+l@example.com").dump(), "application/json")->status ==
      201);
  httplib::Client raw("127.0.0.1", server.port());
  raw.set_read_timeout(fairway::test::kPatience);
  raw.set_url_encode(false);
  raw.set_default_headers(bearer("clerk-token"));
  const auto found = raw.Get("/customers/by-email/ada%2Bl%40example.com");
  CHECK(body_of(found).at("data").at("email") == "ada+l@example.com");
  const auto repeated =
      client.Post("/customers", customer("ada+l@example.com").dump(), "application/json");
  const Json conflict = body_of(repeated);
  CHECK(repeated->status == 409);
  CHECK(conflict.at("code") == "EMAIL_TAKEN");
  CHECK(conflict.at("details") == Json{{"email", "ada+l@example.com"}});
}

TEST_CASE("orders: only an administrator can change the catalogue") {
  OrdersServer server;
  httplib::Client client("127.0.0.1", server.port());
  client.set_read_timeout(fairway::test::kPatience);
  const httplib::Headers admin = bearer("admin-token");
  const std::string product = R"({"name": "Go", "category": "games", "priceCents": 3000})";
  const auto anonymous = client.Post("/admin/products", product, "application/json");
  CHECK(body_of(anonymous).at("code") == "AUTH_REQUIRED");
  CHECK(anonymous->status == 401);
  CHECK(client.Delete("/admin/products/1", bearer("clerk-token"))->status == 403);

  const auto created = client.Post("/admin/products", admin, product, "application/json");
  CHECK(created->status == 201);
  const std::string path = "/admin/products/" + body_of(created).at("data").at("id").dump();
  const auto replaced =
      client.Put(path, admin, R"({"name": "Go", "category": "games", "priceCents": 2500})",
                 "application/json");
  CHECK(body_of(replaced).at("data").at("priceCents") == 2500);
  CHECK(client.Delete(path, admin)->status == 204);
  CHECK(client.Delete(path, admin)->status == 404);
}

TEST_CASE("orders: the list of products is cached until the catalogue changes") {
  OrdersServer server;
  auto& client = server.client();
  const httplib::Headers admin = bearer("admin-token");
  const auto list = [&] {
    const auto response = client.Get("/products");
    return response->get_header_value("x-cache") + " " +
           std::to_string(body_of(response).at("data").size());
  };
  CHECK(list() == "MISS 3");
  CHECK(list() == "HIT 3");
  const auto created =
      client.Post("/admin/products", admin,
                  R"({"name": "Go", "category": "games", "priceCents": 1})", "application/json");
  CHECK(list() == "MISS 4");
  CHECK(list() == "HIT 4");
  const std::string path = "/admin/products/" + body_of(created).at("data").at("id").dump();
  client.Put(path, admin, R"({"name": "Go", "category": "games", "priceCents": 2})",
             "application/json");
  CHECK(list() == "MISS 4");
  client.Delete(path, admin);
  CHECK(list() == "MISS 3");
}

#if FAIRWAY_REDIS
TEST_CASE("orders: two processes with Redis share cached responses and their invalidation") {
  const fairway::test::RedisServer redis;
  const Json shared = {{"store", {{"type", "redis"}, {"url", redis.url()}, {"timeout", 60'000}}}};
  OrdersServer first({}, shared);
  Json same = shared;
  same["app"]["database"] = (first.directory() / "orders.db").string();
  OrdersServer second({}, same);
  // The host is a part of the key; behind a load balancer, both processes receive the same one.
  const auto list = [](OrdersServer& server) {
    const auto response = server.client().Get("/products", {{"Host", "orders.example"}});
    return response->get_header_value("x-cache") + " " +
           std::to_string(body_of(response).at("data").size());
  };
  CHECK(list(first) == "MISS 3");
  CHECK(list(second) == "HIT 3");
  CHECK(second.client()
            .Post("/admin/products", bearer("admin-token"),
                  R"({"name": "Go", "category": "games", "priceCents": 1})", "application/json")
            ->status == 201);
  CHECK(list(first) == "MISS 4");
  CHECK(list(second) == "HIT 4");
}
#endif

TEST_CASE("orders: a new customer can register and order, and sees no data of others") {
  OrdersServer server;
  httplib::Client stranger("127.0.0.1", server.port());
  stranger.set_read_timeout(fairway::test::kPatience);
  CHECK(
      stranger.Post("/customers", customer("ada@example.com").dump(), "application/json")->status ==
      201);
  CHECK(stranger
            .Post("/orders", R"({"customerId": 1, "items": [{"productId": 1, "quantity": 1}]})",
                  "application/json")
            ->status == 201);
  for (const char* path :
       {"/orders", "/orders/1", "/customers", "/customers/by-email/ada%40example.com"}) {
    INFO(path);
    CHECK(stranger.Get(path)->status == 401);
  }
  CHECK(stranger.Patch("/orders/1", R"({"status": "paid"})", "application/json")->status == 401);
  CHECK(stranger.Delete("/orders/1")->status == 401);
  CHECK(body_of(server.client().Get("/orders/1")).at("data").at("status") == "open");
  // The tokens of the development configuration are nobody's elsewhere.
  CHECK(stranger.Get("/orders", bearer("demo-admin-token"))->status == 401);
}

TEST_CASE("orders: a transaction already rolled back by SQLite ends without another error") {
  Database database(":memory:",
                    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name, email, street, city);");
  const auto interrupted = [&] {
    const Transaction transaction(database);
    database.execute("ROLLBACK");  // as after SQLITE_FULL
    throw std::runtime_error("the disk is full");
  };
  CHECK_THROWS_WITH_AS(interrupted(), "the disk is full", std::runtime_error);
  {
    const Transaction transaction(database);
    database.execute("INSERT INTO customers (name, email, street, city) VALUES ('', '', '', '')");
  }
  CHECK_FALSE(database.prepare("SELECT id FROM customers").step());
}

TEST_CASE("orders: access log and audit lines contain the request id, and SIGTERM exits with 0") {
  OrdersServer server;
  REQUIRE(server.client()
              .Post("/customers", {{"x-request-id", "trace-1"}}, customer("log@example.com").dump(),
                    "application/json")
              ->status == 201);
  // Requests that the handler, the validation or the guard rejects have access lines, too.
  const httplib::Headers rejected = {{"x-request-id", "trace-2"}};
  auto& client = server.client();
  CHECK(client.Get("/products/4711", rejected)->status == 404);
  CHECK(client.Get("/orders/zero", rejected)->status == 400);
  CHECK(client.Delete("/admin/products/1", rejected)->status == 403);
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);

  std::vector<std::string> missing = {
      "trace-1 POST /customers 201 ", "trace-2 GET /products/4711 404 ",
      "trace-2 GET /orders/zero 400 ", "trace-2 DELETE /admin/products/1 403 "};
  bool audit = false;
  std::istringstream lines(server.process().standard_output());
  for (std::string line; std::getline(lines, line);) {
    const Json entry = Json::parse(line);
    const std::string id = entry.value("requestId", "");
    const std::string message = entry.at("msg");
    std::erase_if(
        missing, [&](const std::string& start) { return (id + " " + message).starts_with(start); });
    if (id == "trace-1" && message == "audit" && entry.at("status") == 201) audit = true;
  }
  for (const std::string& start : missing) FAIL_CHECK("no line " << start);
  CHECK(audit);
}

TEST_CASE("orders: SIGINT exits with 0, and the data is there at the next start") {
  fairway::test::TemporaryDirectory directory;
  install_settings(directory.path(), Json::object());
  for (const int expected : {0, 1}) {
    const int port = e2e::free_port();
    e2e::ChildProcess process(FAIRWAY_ORDERS_PROGRAM,
                              {"--host", "127.0.0.1", "--port", std::to_string(port)},
                              directory.path());
    REQUIRE(e2e::wait_until_listening(port, process));
    httplib::Client client("127.0.0.1", port);
    client.set_read_timeout(fairway::test::kPatience);
    client.set_default_headers(bearer("clerk-token"));
    CHECK(body_of(client.Get("/customers")).at("data").size() == static_cast<unsigned>(expected));
    client.Post("/customers", customer("kept@example.com").dump(), "application/json");
    process.signal(SIGINT);
    CHECK(process.wait() == 0);
  }
}

TEST_CASE("orders: the OpenAPI document is served in development only") {
  OrdersServer production;
  CHECK(production.client().Get("/openapi.json")->status == 404);
  OrdersServer server({"--config", "development"});
  const Json document = body_of(server.client().Get("/openapi.json"));
  CHECK(document.at("openapi").get<std::string>().starts_with("3.1"));
  CHECK(document.at("paths").at("/orders").at("post").at("operationId") == "createOrder");
}

TEST_CASE("orders: messages are in the language that the client prefers") {
  OrdersServer server;
  const auto english = body_of(server.client().Get("/orders/4711"));
  CHECK(english["message"] == "no order 4711");
  CHECK(english["code"] == "ORDER_NOT_FOUND");
  const auto german = server.client().Get("/orders/4711", {{"Accept-Language", "de, en;q=0.5"}});
  CHECK(german->status == 404);
  CHECK(body_of(german)["message"] == "keine Bestellung 4711");
}

TEST_CASE("orders: the admin listener has probes and metrics, for those with its token") {
  const std::string token(32, 't');
  OrdersServer server({}, {{"admin", {{"socket", "admin.sock"}, {"token", token}}}});
  const std::filesystem::path socket = server.directory() / "admin.sock";
  httplib::Client admin(socket.string());
  admin.set_address_family(AF_UNIX);
  admin.set_read_timeout(fairway::test::kPatience);
  // Instead of the path of the socket.
  admin.set_default_headers({{"host", "localhost"}});
  CHECK(admin.Get("/readyz")->status == 401);
  admin.set_default_headers({{"host", "localhost"}, {"authorization", "Bearer " + token}});
  // The port is open before the application is ready.
  CHECK(fairway::test::eventually([&] { return admin.Get("/readyz")->status == 200; }));
  CHECK(server.client().Get("/metrics", bearer(token))->status == 404);
  for (int i = 0; i < 3; ++i) CHECK(server.client().Get("/orders/4711")->status == 404);

  std::string text;
  CHECK(fairway::test::eventually([&] {
    text = admin.Get("/metrics")->body;
    return text.find(
               "\nhttp_server_request_duration_seconds_count{http_request_method=\"GET\","
               "http_route=\"/orders/:id\",http_response_status_code=\"404\"} 3\n") !=
           std::string::npos;
  }));
  if (const std::string promtool = FAIRWAY_PROMTOOL; !promtool.empty()) {
    std::ofstream(server.directory() / "metrics.txt") << text;
    const std::string command = "'" + promtool + "' check metrics < '" +
                                (server.directory() / "metrics.txt").string() + "'";
    CHECK(std::system(command.c_str()) == 0);
  }
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
  CHECK_FALSE(std::filesystem::exists(socket));
}

TEST_CASE("orders: hooks count the responses") {
  OrdersServer server;
  server.client().Get("/orders/4711");
  // The hooks run when the response is under way already.
  Json health = Json::object();
  CHECK(fairway::test::eventually([&] {
    health = body_of(server.client().Get("/health"))["data"];
    return health.value("errors", 0) > 0;
  }));
  CHECK(health["status"] == "ok");
  CHECK(health["responses"].get<int>() >= 1);
  CHECK(health["errors"] == 1);
}

}  // namespace orders_test
