// What a request allocates over a real connection: received, routed, validated, handled, sent, and
// logged to a file.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/spare_allocator.hpp"
#include "http/loopback.hpp"
#include "logging/async_sink.hpp"
#include "support/allocation_count.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace allocations_test {

namespace {

using fw::Json;
using fw::support::allocation_count;

// The structs, as `fairway build` emits them.

struct Item {
  std::string name = {};
  std::int64_t quantity = {};

  friend void fw_decode(fw::detail::JsonReader& in, Item& out) {
    static constexpr std::string_view kMembers[] = {"name", "quantity"};
    for (fw::detail::JsonObject object(in, kMembers, 0b11); object.next();) {
      if (object.member() == 0) {
        in.string(out.name, {.least = 1, .most = 80});
      } else {
        in.integer(out.quantity, {.least = 1, .most = 1000});
      }
    }
  }
};

struct Order {
  static constexpr fw::Location kLocation = fw::Location::body;

  std::string customer = {};
  std::vector<Item> items = {};

  friend void from_json(const Json&, Order&) {}
  friend void fw_decode(fw::detail::JsonReader& in, Order& out) {
    static constexpr std::string_view kMembers[] = {"customer", "items"};
    for (fw::detail::JsonObject object(in, kMembers, 0b11); object.next();) {
      if (object.member() == 0) {
        in.string(out.customer, {.least = 1, .most = 80});
      } else {
        in.array(out.items, {}, [&](Item& item) { fw_decode(in, item); });
      }
    }
  }
};

struct ItemPath {
  static constexpr fw::Location kLocation = fw::Location::param;

  std::string id = {};

  friend void from_json(const Json&, ItemPath&) {}
  friend void fw_decode(fw::detail::FieldReader& in, ItemPath& out) {
    if (in.require("id")) in.string(out.id, {.least = 1, .most = 40});
  }
};

struct Stored {
  std::string id = {};
  std::int64_t count = {};

  friend void to_json(Json& json, const Stored& stored) { json = {{"id", stored.id}}; }
  friend void fw_encode(fw::detail::JsonWriter& out, const Stored& value) {
    out.raw(R"({"id":)");
    out.string(value.id);
    out.raw(R"(,"count":)");
    out.integer(value.count);
    out.raw("}");
  }
};

constexpr fw::detail::ResponseType kStored[] = {{"200", &typeid(Stored)}, {"201", &typeid(Stored)}};

const std::string kOrder =
    R"({"customer":"Ada Lovelace of London","items":[)"
    R"({"name":"A lamp with a long name","quantity":2},{"name":"A table with one","quantity":1}]})";

/// One thread, which serves one connection: from one handler to the next, it has done all that a
/// request takes.
class CountingServer {
 public:
  explicit CountingServer(bool has_middlewares = false) : app_(config()) {
    if (has_middlewares) add_middlewares();
    const fw::Responses responses = {{"200", {{"id", "string"}, {"count", "integer"}}},
                                     {"201", {{"id", "string"}, {"count", "integer"}}}};
    table_.routes([this, responses](fw::Router& router) {
      router.get("/stock", {.responses = responses},
                 [this](fw::Request&, fw::Response& res) { count(res, {"all", 7}, 200); });
      router.get("/items/:id",
                 {.validate = {.param = {{"id", "string:1-40"}}}, .responses = responses},
                 [this](fw::Request& req, fw::Response& res) {
                   count(res, {req.valid<ItemPath>().id, 7}, 200);
                 });
      router.get("/caller", {.responses = responses}, [this](fw::Request&, fw::Response& res) {
        const auto request = fw::current_request().value();
        count(res, {request.caller ? "known" : "anonymous", 7}, 200);
      });
      router.post(
          "/orders",
          {.validate = {.body = {{"customer", "string:1-80"},
                                 {"items", fw::array_of({{"name", "string:1-80"},
                                                         {"quantity", "integer:1-1000"}})}}},
           .responses = responses},
          [this](fw::Request& req, fw::Response& res) {
            const auto& order = req.valid<Order>();
            count(res, {"new", static_cast<std::int64_t>(order.items.size())}, 201);
          });
    });
    table_.types({{.responses = kStored},
                  {.decode_param = fw::detail::decode<ItemPath>, .responses = kStored},
                  {.responses = kStored},
                  {.decode_body = fw::detail::decode<Order>, .responses = kStored}});
    fw::LoggerConfig log;
    log.file = directory_.path() / "access.log";
    app_.set_logger(fw::Logger(std::make_shared<fw::detail::AsyncSink>(log)));
    // A hook of another event must not cost the requests anything.
    app_.hooks().on<fw::hooks::AppReady>([](fw::hooks::AppReady&) {});
    app_.mount(table_.table());
    app_.start();
  }

  /// Of one request whose bytes arrive in these parts.
  std::size_t allocations_of(const std::vector<std::string>& parts) {
    counts_.clear();
    fw::http::test::Client client(app_.port());
    for (int i = 0; i < 30; ++i) {
      for (const std::string& part : parts) client.send(part);
      REQUIRE(client.read_response().status < 300);
    }
    // The first requests fill what a thread keeps; the log's thread may take a buffer at any time.
    std::vector<std::size_t> differences;
    for (std::size_t i = 10; i < counts_.size(); ++i) {
      differences.push_back(counts_[i] - counts_[i - 1]);
    }
    std::sort(differences.begin(), differences.end());
    return differences[differences.size() / 2];
  }

 private:
  static fw::Config config() {
    fw::Config config = fw::testing::TestApp::test_config();
    config.host = "127.0.0.1";
    config.port = 0;
    config.server.min_workers = config.server.max_workers = 1;
    config.server.trim_interval = 0;
    return config;
  }

  /// Two that the server's thread passes through, before and after which the caller may change.
  void add_middlewares() {
    const auto pass = [](fw::Request&, fw::Response&, fw::Next next) { next(); };
    app_.use(pass);
  }

  void count(fw::Response& res, const Stored& stored, int status) {
    counts_.push_back(allocation_count());
    res.json(stored, status);
  }

  fairway::test::TemporaryDirectory directory_;
  fw::support::TableBuilder table_;
  std::vector<std::size_t> counts_;  ///< of the one worker, in each handler
  fw::App app_;
};

std::string get(const std::string& target) {
  return "GET " + target +
         " HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: a browser with a long name/1.0\r\n"
         "Accept: text/html,application/json;q=0.9\r\nAccept-Language: en-GB,en;q=0.5\r\n\r\n";
}

std::string order_head() {
  return "POST /orders HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: a browser/1.0\r\n"
         "Content-Type: application/json; charset=utf-8\r\nContent-Length: " +
         std::to_string(kOrder.size()) + "\r\n\r\n";
}

/// For the transaction and the exchange: sanitizers see each.
constexpr std::size_t kOfRequest = fw::base::kKeepsSpares ? 0 : 2;

/// Allocations of what `make` makes.
std::size_t allocations_in(const auto& make) {
  const std::size_t before = allocation_count();
  const auto made = make();
  return allocation_count() - before;
}

}  // namespace

TEST_CASE("allocations: a GET makes none, not counting its target and its struct" *
          doctest::skip(!FAIRWAY_EPOLL)) {
  CountingServer server;
  CHECK(server.allocations_of({get("/stock")}) == kOfRequest);
  CHECK(server.allocations_of({get("/items/7")}) <= kOfRequest + 2);
  CHECK(server.allocations_of({get("/stock?from=a-long-query-that-fills-no-small-string")}) ==
        kOfRequest + 1);
}

TEST_CASE("allocations: the caller is stored only if something reads it" *
          doctest::skip(!FAIRWAY_EPOLL)) {
  CountingServer none;
  CountingServer with_middlewares(true);
  const auto difference = [&](const std::string& target) {
    return with_middlewares.allocations_of({get(target)}) - none.allocations_of({get(target)});
  };
  const std::size_t of_middlewares = difference("/stock");
  CHECK(of_middlewares == 0);
  CHECK(difference("/caller") == of_middlewares + 1);
}

TEST_CASE("allocations: a POST makes at most four, plus the allocations of its struct" *
          doctest::skip(!FAIRWAY_EPOLL)) {
  CountingServer server;
  const auto of_struct = allocations_in([] {
    fw::detail::JsonReader reader(kOrder);
    return fw::detail::decode<Order>(reader);
  });
  REQUIRE(of_struct == 5);  // itself, the array, and three strings
  CHECK(server.allocations_of({order_head() + kOrder}) <= kOfRequest + 4 + of_struct);
  CHECK(server.allocations_of({order_head(), kOrder}) <= kOfRequest + 4 + of_struct);
}

}  // namespace allocations_test
