// Types together with other features. Each request is sent to a route with types and to the same
// route with schema maps, with and without the typed path: the responses must be equal.
#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "eventually.hpp"
#include "http/loopback.hpp"
#include "src/note_service.hpp"
#include "temporary_directory.hpp"

namespace types_features_test {

namespace {

using fw::Json;
using fw::testing::TestResponse;

/// What is compared: everything but the id and the time of the request.
struct Seen {
  int status = 0;
  std::map<std::string, std::string> fields;
  Json body;

  bool operator==(const Seen&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
  out << seen.status << ' ' << Json(seen.fields).dump() << ' ' << seen.body.dump();
  return out;
}

Seen seen_of(const TestResponse& response) {
  Seen seen{.status = response.status, .fields = {}, .body = {}};
  for (const auto& [name, value] : response.headers) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    });
    // The members of bodies are not in the same order.
    const bool differs = lower == "x-request-id" || lower == "date" || lower == "set-cookie" ||
                         lower == "content-length" || lower == "etag" || lower == "retry-after" ||
                         lower == "ratelimit-reset";
    // The seconds that are left may differ, too.
    seen.fields[lower] += differs ? "" : value.substr(0, value.find("max-age=")) + "\n";
  }
  seen.body = Json::parse(response.body, nullptr, false);
  if (seen.body.is_discarded()) seen.body = fmt::format("{} bytes", response.body.size());
  if (seen.body.is_object()) seen.body.erase("requestId");
  return seen;
}

void set_up(fw::App& app) {
  app.services().add<notes::LateInput>();
  const auto verify_user = [](std::string_view user, fw::Request&) {
    return fw::AuthIdentity{.user_id = std::string(user), .roles = {"editor"}};
  };
  if (app.config().session.enabled) {
    app.use(fw::auth({.source = "session", .verify = verify_user}));
  }
  app.use(fw::auth(
      {.source = "bearer",
       .verify = [](std::string_view token, fw::Request&) -> std::optional<fw::AuthIdentity> {
         if (token == "editor") return fw::AuthIdentity{.user_id = "ed", .roles = {"editor"}};
         if (token == "reader") return fw::AuthIdentity{.user_id = "rita", .roles = {"reader"}};
         return std::nullopt;
       }}));
}

fw::Config make_config(bool has_typed_path = true) {
  fw::Config config = fw::testing::TestApp::test_config();
  config.typed_path = has_typed_path;
  return config;
}

using Change = std::function<void(fw::Config&)>;
using Send = std::function<TestResponse(fw::testing::TestClient&, const std::string& prefix)>;

/// The four ways to the same response.
class Ways {
 public:
  explicit Ways(const Change& change = {}) {
    for (const bool has_typed_path : {true, false}) {
      fw::Config config = make_config(has_typed_path);
      if (change) change(config);
      const auto& app =
          apps_.emplace_back(std::make_unique<fw::testing::TestApp>(fairway_app(), config, set_up));
      for (const std::string prefix : {"/typed", "/maps"}) {
        ways_.push_back({prefix, fmt::format("{} {}", prefix, has_typed_path), app->client()});
      }
    }
  }

  /// Sends it each way; the response that all got.
  Seen send(const Send& send_one) {
    std::optional<Seen> first;
    for (Way& way : ways_) {
      CAPTURE(way.name);
      const Seen seen = seen_of(send_one(way.client, way.prefix));
      if (!first) first = seen;
      CHECK_EQ(seen, *first);
    }
    return *first;
  }

 private:
  struct Way {
    std::string prefix;
    std::string name;
    fw::testing::TestClient client;
  };

  std::vector<std::unique_ptr<fw::testing::TestApp>> apps_;
  std::vector<Way> ways_;
};

const Json kNote = Json::parse(R"({"text": "buy bread", "author": {"name": "Ann"}})");

/// A request to /notes, with a token of an editor unless it says otherwise.
struct NoteRequest {
  std::string id = "7";
  std::string query = "?copies=2";
  std::string tenant = "acme";
  std::string token = "editor";
  std::string language = {};
  std::string type = "application/json";
  std::optional<std::string> cookie = "dark";
  std::string body = kNote.dump();
};

Send note(const NoteRequest& request) {
  return [request](fw::testing::TestClient& client, const std::string& prefix) {
    auto sent = client.request("POST", prefix + "/notes/" + request.id + request.query);
    if (!request.tenant.empty()) sent.header("x-tenant", request.tenant);
    if (!request.token.empty()) sent.header("authorization", "Bearer " + request.token);
    if (!request.language.empty()) sent.header("accept-language", request.language);
    if (request.cookie) sent.cookie("theme", *request.cookie);
    sent.header("content-type", request.type);
    return sent.body(request.body).send();
  };
}

Json with(const char* member, Json value) {
  Json body = kNote;
  body[member] = std::move(value);
  return body;
}

Send get(const std::string& target,
         const std::vector<std::pair<std::string, std::string>>& fields = {},
         const std::string& method = "GET") {
  return [=](fw::testing::TestClient& client, const std::string& prefix) {
    auto request = client.request(method, prefix + target);
    for (const auto& [name, value] : fields) request.header(name, value);
    return request.send();
  };
}

}  // namespace

TEST_CASE("types with features: errors are found in the same order as with schema maps") {
  Ways ways([](fw::Config& config) { config.body_parser.max_body_size = "1kb"; });
  const Seen made = ways.send(note({}));
  CHECK_EQ(made.status, 201);
  CHECK_EQ(made.body["data"],
           Json::parse(R"({"id": 7, "text": "buy bread", "stars": 3, "tags": [], "author": "Ann",
                           "lang": "none", "copies": 2, "tenant": "acme", "theme": "dark",
                           "user": "ed"})"));
  const std::string wrong = with("stars", 10).dump();
  const auto status_of = [&](const NoteRequest& request) {
    return ways.send(note(request)).status;
  };
  // What is wrong with a request is found in this order, and the first error is the response.
  CHECK_EQ(status_of({.id = "0", .token = "", .body = std::string(2000, ' ')}), 413);
  CHECK_EQ(status_of({.id = "0", .token = "", .body = "{"}), 400);
  CHECK_EQ(status_of({.id = "0", .token = "", .body = R"({"text": "\ud800"})"}), 400);
  CHECK_EQ(status_of({.id = "0", .token = "", .body = wrong}), 401);
  CHECK_EQ(status_of({.id = "0", .token = "reader", .body = wrong}), 403);
  CHECK_EQ(status_of({.id = "0", .query = "?copies=9", .tenant = "", .body = wrong}), 400);
  CHECK_EQ(status_of({.query = "?copies=9", .tenant = "", .body = wrong}), 422);
  CHECK_EQ(status_of({.tenant = "", .body = wrong}), 422);
  CHECK_EQ(status_of({.body = wrong}), 422);
  CHECK_EQ(status_of({.body = ""}), 422);
  CHECK_EQ(status_of({.type = "text/plain", .body = "x"}), 422);
}

TEST_CASE("types with features: values are read as by schema maps") {
  Ways ways;
  for (const NoteRequest& request : std::vector<NoteRequest>{
           {.id = "+7"},
           {.id = "07"},
           {.id = "7.0"},
           {.id = "1e2"},
           {.id = "0x10"},
           {.id = "%37"},
           {.id = "9223372036854775807"},
           {.id = "9223372036854775808"},
           {.query = ""},
           {.query = "?copies=2&copies=3"},
           {.query = "?copies=&lang="},
           {.query = "?copies=%202"},
           {.query = "?lang=de&unknown=1"},
           {.query = "?lang=fr"},
           {.query = "?lang=%ff"},
           {.query = "?copies=%2B2&unknown=%ff&%ff=1"},
           {.tenant = "a, b"},
           {.tenant = "\xC3\xA4\xC3\xB6"},
           {.tenant = "\xFF"},
           {.tenant = "12345678901"},
           {.cookie = std::nullopt},
           {.cookie = ""},
           {.cookie = "a%20b"},
           {.cookie = "%ff"},
           {.body = with("stars", "5").dump()},
           {.body = with("stars", 5.0).dump()},
           {.body = with("stars", "").dump()},
           {.body = with("stars", nullptr).dump()},
           {.body = with("tags", {"a", "b"}).dump()},
           {.body = with("tags", {"a", "b", "c", "d"}).dump()},
           {.body = with("tags", "a").dump()},
           {.body = with("tags", nullptr).dump()},
           {.body = with("text", "").dump()},
           {.body = with("text", 7).dump()},
           {.body = with("author", nullptr).dump()},
           {.body = with("author", {{"name", ""}, {"email", "x"}}).dump()},
           {.body = with("author", {{"email", "a@example.com"}}).dump()},
           {.body = with("unknown", {1, {2}}).dump()},
           {.body = R"({"text": "a", "text": "b"})"},
           {.body = R"({"text": "\u00e4\ud834\udd1e"})"},
           {.body = R"({"te\u0078t": "a"})"},
           {.body = " {\n\"text\" :\t\"a\"}\r\n "},
           {.body = R"({"text": "a"} x)"},
           {.body = "[]"},
           {.body = "null"},
           {.body = "\xEF\xBB\xBF{\"text\":\"a\"}"},
           {.body = "{\"text\": \"\xFF\"}"},
           {.type = "application/problem+json; charset=utf-8"},
           {.type = "application/x-www-form-urlencoded", .body = "text=a&stars=4&tags=x&tags=y"},
           {.type = "application/x-www-form-urlencoded", .body = "text=a&stars=x&tags=x"},
           {.type = "application/x-www-form-urlencoded", .body = "text=a&author=Ann"},
       }) {
    CAPTURE(request.id);
    CAPTURE(request.query);
    CAPTURE(request.tenant);
    CAPTURE(request.body);
    ways.send(note(request));
  }
}

TEST_CASE("types with features: sessions and CSRF tokens protect typed routes") {
  Ways ways([](fw::Config& config) {
    config.session.enabled = true;
    config.csrf.enabled = true;
  });
  CHECK_EQ(ways.send([](fw::testing::TestClient& client, const std::string& prefix) {
                 return client.request("POST", prefix + "/login").send();
               })
               .status,
           204);
  const auto send_note = [](bool with_token, const Json& body) {
    return [=](fw::testing::TestClient& client, const std::string& prefix) {
      const std::string token =
          client.request("GET", prefix + "/token").send().json()["data"].get<std::string>();
      auto request = client.request("POST", prefix + "/notes/7");
      request.header("x-tenant", "acme").json(body);
      if (with_token) request.header("x-csrf-token", token);
      return request.send();
    };
  };
  CHECK_EQ(ways.send(send_note(false, kNote)).status, 403);
  CHECK_EQ(ways.send(send_note(false, with("stars", 10))).status, 403);
  CHECK_EQ(ways.send(send_note(true, with("stars", 10))).status, 422);
  const Seen made = ways.send(send_note(true, kNote));
  CHECK_EQ(made.status, 201);
  CHECK_EQ(made.body["data"]["user"], "rita");
  // The token as a member of the body, which the type does not have.
  CHECK_EQ(ways.send([](fw::testing::TestClient& client, const std::string& prefix) {
                 Json body = kNote;
                 body["_csrf"] = client.request("GET", prefix + "/token").send().json()["data"];
                 return client.request("POST", prefix + "/notes/7")
                     .header("x-tenant", "acme")
                     .json(body)
                     .send();
               })
               .status,
           201);
}

TEST_CASE("types with features: messages are in the language of the request") {
  const fairway::test::TemporaryDirectory directory;
  directory.write("locales/en-US.json",
                  R"({"note.missing": {"code": 40401, "message": "no {{id}}"}})");
  directory.write("locales/de.json", R"({
    "validation.failed": "Eingabe ungültig",
    "validation.value.maximum": "{{field}} ist höchstens {{maximum}}",
    "validation.required": "{{field}} fehlt",
    "validation.type.enum": "{{field}} ist eins von {{values}}",
    "note.missing": "Notiz {{id}} fehlt"
  })");
  Ways ways([&](fw::Config& config) { config.locale.directory = directory.path() / "locales"; });
  const Seen seen = ways.send(note({.language = "de", .body = R"({"stars": 10, "author": {}})"}));
  CHECK_EQ(seen.body["message"], "Eingabe ungültig");
  CHECK_EQ(seen.body["errors"], Json::parse(R"([
    {"field": "text", "message": "text fehlt"},
    {"field": "stars", "message": "stars ist höchstens 9"},
    {"field": "author/name", "message": "author/name fehlt"}])"));
  CHECK_EQ(ways.send(note({.query = "?lang=fr", .language = "de"})).body["errors"][0]["message"],
           "lang ist eins von en, de");
  CHECK_EQ(ways.send(get("/errors/7", {{"accept-language", "de"}})).body["message"],
           "Notiz 7 fehlt");
  CHECK_EQ(ways.send(get("/errors/7")).body["message"], "no 7");
}

TEST_CASE("types with features: forms of both kinds are read as types") {
  Ways ways;
  const auto urlencoded = [&](const std::string& body) {
    return ways.send([=](fw::testing::TestClient& client, const std::string& prefix) {
      return client.request("POST", prefix + "/forms")
          .header("content-type", "application/x-www-form-urlencoded")
          .body(body)
          .send();
    });
  };
  const auto multipart = [&](const std::vector<std::pair<const char*, const char*>>& fields) {
    return ways.send([=](fw::testing::TestClient& client, const std::string& prefix) {
      auto request = client.request("POST", prefix + "/forms");
      for (const auto& [name, value] : fields) request.field(name, value);
      return request.file("f", "f.txt", "file").send();
    });
  };
  const Json all =
      Json::parse(R"({"title": "a b", "count": 3, "tags": ["x", "y"], "draft": true})");
  CHECK_EQ(urlencoded("title=a+b&count=3&tags=x&tags=y&draft=true").body["data"], all);
  CHECK_EQ(
      multipart({{"title", "a b"}, {"count", "3"}, {"tags", "x"}, {"tags", "y"}, {"draft", "TRUE"}})
          .body["data"],
      all);
  CHECK_EQ(urlencoded("title=a&count=0&tags=x").body["data"],
           Json::parse(R"({"title": "a", "count": 0, "tags": ["x"], "draft": false})"));
  CHECK_EQ(multipart({{"title", "a"}, {"count", "0"}}).body["data"],
           Json::parse(R"({"title": "a", "count": 0, "draft": false})"));
  CHECK_EQ(urlencoded("title=&count=-1&draft=maybe").body["errors"].size(), 3);
  CHECK_EQ(multipart({{"count", "x"}}).body["errors"].size(), 2);
  CHECK_EQ(urlencoded("").status, 422);
}

TEST_CASE("types with features: the cache tells queries, partitions and hosts apart") {
  Ways ways;
  const auto list = [&](const std::string& query, const std::string& tenant,
                        const std::string& host = "a.example", const std::string& method = "GET") {
    return ways.send(get("/list" + query, {{"x-tenant", tenant}, {"host", host}}, method));
  };
  const auto run_of = [](const Seen& seen) { return seen.body["data"]["run"].get<int>(); };
  CHECK_EQ(run_of(list("?page=2", "acme")), 1);
  const Seen hit = list("?page=2", "acme");
  CHECK_EQ(run_of(hit), 1);
  CHECK_EQ(hit.fields.at("x-cache"), "HIT\n");
  CHECK_EQ(list("?page=2", "acme", "a.example", "HEAD").fields.at("x-cache"), "HIT\n");
  CHECK_EQ(run_of(list("?page=2", "other")), 2);
  CHECK_EQ(run_of(list("?page=2", "acme", "b.example")), 3);
  CHECK_EQ(run_of(list("?page=2&sort=x", "acme")), 4);
  CHECK_EQ(list("?page=2&sort=x", "acme").body["data"],
           Json::parse(R"({"page": 2, "run": 4, "sort": "x", "tenant": "acme"})"));
  // Invalid requests never get a response of the cache, and none of them is kept.
  CHECK_EQ(list("?page=0", "acme").status, 422);
  CHECK_EQ(list("?page=2", "").status, 422);
  CHECK_EQ(run_of(list("?page=2", "acme")), 1);
  // What the signature takes is what the handler depends on.
  const Seen dependent = ways.send(get("/dependent", {{"x-tenant", "acme"}}));
  CHECK_EQ(dependent.fields.at("cache-control"), "no-store\n");
  CHECK_EQ(ways.send(get("/dependent", {{"x-tenant", "other"}})).body["data"]["x-tenant"], "other");
}

TEST_CASE("types with features: preflights, limits, HEAD, entity tags and compression") {
  SUBCASE("a preflight needs no valid input") {
    Ways ways;
    const Seen preflight = ways.send(get(
        "/notes/0", {{"origin", "https://app.example"}, {"access-control-request-method", "POST"}},
        "OPTIONS"));
    CHECK_EQ(preflight.status, 204);
    const Seen invalid = ways.send(get("/words?page=0", {{"origin", "https://app.example"}}));
    CHECK_EQ(invalid.status, 422);
    CHECK_EQ(invalid.fields.at("access-control-allow-origin"), "*\n");
  }
  SUBCASE("a limited request is not validated") {
    Ways ways([](fw::Config& config) {
      config.rate_limit.enabled = true;
      config.rate_limit.max = 2;
    });
    const auto from = [](const char* body) {
      return [body](fw::testing::TestClient& client, const std::string& prefix) {
        return client.request("POST", prefix + "/quick")
            .remote_address(prefix == "/typed" ? "10.0.0.1" : "10.0.0.2")
            .header("content-type", "application/json")
            .body(body)
            .send();
      };
    };
    CHECK_EQ(ways.send(from(R"({"text": "a"})")).status, 200);
    CHECK_EQ(ways.send(from(R"({})")).status, 422);
    CHECK_EQ(ways.send(from(R"({})")).status, 429);
    CHECK_EQ(ways.send(from(R"({"text": "a"})")).status, 429);
  }
  SUBCASE("HEAD has the fields of GET, and no body") {
    Ways ways([](fw::Config& config) { config.etag = fw::EntityTags::weak; });
    const Seen got = ways.send(get("/words?page=3"));
    const Seen head = ways.send(get("/words?page=3", {}, "HEAD"));
    CHECK_EQ(head.status, 200);
    CHECK_EQ(head.fields, got.fields);
    CHECK_EQ(head.body, "0 bytes");
    CHECK_EQ(ways.send(get("/words?page=0", {}, "HEAD")).status, 422);
  }
  SUBCASE("an entity tag of a result is compared") {
    fw::Config config = make_config();
    config.etag = fw::EntityTags::weak;
    fw::testing::TestApp app(fairway_app(), config, set_up);
    const auto first = app.request("GET", "/typed/words?page=3").send();
    REQUIRE(first.header("etag"));
    const auto again = app.request("GET", "/typed/words?page=3")
                           .header("if-none-match", std::string(*first.header("etag")))
                           .send();
    CHECK_EQ(again.status, 304);
    CHECK_EQ(app.request("GET", "/typed/words?page=4")
                 .header("if-none-match", std::string(*first.header("etag")))
                 .send()
                 .status,
             200);
  }
  SUBCASE("a result is compressed") {
    fw::testing::TestApp app(fairway_app(), make_config(), set_up);
    const auto words =
        app.request("GET", "/typed/words?page=500").header("accept-encoding", "gzip").send();
    CHECK_EQ(words.header("content-encoding"), "gzip");
    CHECK(words.body.size() < 500);
    CHECK_EQ(app.request("GET", "/typed/words?page=500").send().json()["data"]["words"].size(),
             500);
  }
}

TEST_CASE("types with features: errors and responses of a handler precede its result") {
  Ways ways;
  const Seen gone = ways.send(get("/errors/1"));
  CHECK_EQ(gone.status, 410);
  CHECK_EQ(gone.body["code"], "note.gone");
  CHECK_EQ(ways.send(get("/errors/2")).status, 500);
  CHECK_EQ(ways.send(get("/errors/3")).body["errors"][0]["field"], "id");
  const Seen sent = ways.send(get("/errors/5"));
  CHECK_EQ(sent.status, 203);
  CHECK_EQ(sent.body["data"], Json{{"sent", true}});
  CHECK_EQ(ways.send(get("/errors/6")).body, "8 bytes");
  CHECK_EQ(ways.send(get("/errors/8")).fields.at("x-set"), "before\n");
}

TEST_CASE("types with features: a result that JSON cannot have is an error, not half a response") {
  fw::testing::TestApp app(fairway_app(), make_config(), set_up);
  for (const char* id : {"1", "2"}) {
    CAPTURE(id);
    const auto response = app.request("GET", std::string("/typed/unwritable/") + id).send();
    CHECK_EQ(response.status, 500);
    CHECK_FALSE(response.json().contains("data"));
  }
  const auto text = app.request("GET", "/typed/unwritable/3").send();
  CHECK_EQ(text.status, 201);
  CHECK_EQ(text.json()["data"]["text"], "\uFFFD");
  CHECK_EQ(text.json()["data"]["day"], "1970-01-01");
}

// On a real server.

namespace {

class RunningApp {
 public:
  explicit RunningApp(const Change& change = {}) : app_(config_of(change)) {
    set_up(app_);
    app_.mount(fairway_app());
    app_.start();
  }

  std::uint16_t port() const { return app_.port(); }
  std::string late_input() { return app_.services().get<notes::LateInput>().take(); }

 private:
  static fw::Config config_of(const Change& change) {
    fw::Config config = make_config();
    config.host = "127.0.0.1";
    config.port = 0;
    if (change) change(config);
    return config;
  }

  fw::App app_;
};

std::string post(const std::string& target, const std::string& body, std::string_view fields = {}) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n{}\r\n{}",
      target, body.size(), fields, body);
}

}  // namespace

TEST_CASE("types with features: the input of a handler outlives its deadline") {
  RunningApp app;
  for (const std::string prefix : {"/typed", "/maps"}) {
    // Long enough to be on the heap, and read by both paths.
    for (const std::string stars : {"4", "\"4\""}) {
      CAPTURE(prefix);
      CAPTURE(stars);
      const std::string name(300, 'n');
      fw::http::test::Client client(app.port());
      const std::string request =
          post(prefix + "/slow", R"({"text": "0123456789abcdefghij", "stars": )" + stars +
                                     R"(, "author": {"name": ")" + name + "\"}}");
      std::string late;
      CHECK(fairway::test::eventually([&] {
        CHECK_EQ(client.exchange(request).status, 504);
        late = app.late_input();
        return !late.empty();
      }));
      CHECK_EQ(late, "0123456789abcdefghij/" + name);
      // The connection serves the next request.
      CHECK_EQ(client.exchange(post(prefix + "/quick", R"({"text": "next"})")).status, 200);
    }
  }
}

TEST_CASE("types with features: a body that arrives slowly is read as one") {
  RunningApp app;
  for (const std::string prefix : {"/typed", "/maps"}) {
    CAPTURE(prefix);
    fw::http::test::Client client(app.port());
    const std::string request = post(prefix + "/quick", R"({"text": "slow", "tags": ["a", "b"]})");
    for (std::size_t sent = 0; sent < request.size(); sent += 20) {
      client.send(std::string_view(request).substr(sent, 20));
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
    }
    const auto response = client.read_response();
    CHECK_EQ(response.status, 200);
    CHECK_EQ(Json::parse(response.body)["data"], "slow");
  }
}

TEST_CASE("types with features: no request sees the input of another one") {
  RunningApp app;
  constexpr int kThreads = 4;
  constexpr int kRequests = 300;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      fw::http::test::Client client(app.port());
      for (int i = 0; i < kRequests; ++i) {
        const std::string name = fmt::format("{}-{}-{}", thread, i, std::string(40, 'x'));
        // Each third request takes the general path, and each fifth is invalid.
        const bool is_valid = i % 5 != 0;
        const Json body = {{"text", fmt::format("{}-{}", thread, i)},
                           {"stars", i % 3 == 0 ? Json(std::to_string(i % 10)) : Json(i % 10)},
                           {"tags", std::vector<std::string>(i % 3 == 0 ? 0 : 2, name)},
                           {"author", {{"name", is_valid ? name : ""}}}};
        const auto response = client.exchange(post(
            fmt::format("/typed/notes/{}?copies={}", i + 1, i % 3 + 1), body.dump(),
            fmt::format("X-Tenant: t{}-{}\r\nCookie: theme={}\r\nAuthorization: Bearer editor\r\n",
                        thread, i, name)));
        const Json seen = Json::parse(response.body, nullptr, false);
        if (!is_valid) {
          if (response.status != 422 || seen["errors"].size() != 1) ++wrong;
          continue;
        }
        const Json expected = {{"id", i + 1},         {"text", body["text"]},
                               {"stars", i % 10},     {"tags", body["tags"]},
                               {"author", name},      {"lang", "none"},
                               {"copies", i % 3 + 1}, {"tenant", fmt::format("t{}-{}", thread, i)},
                               {"theme", name},       {"user", "ed"}};
        if (response.status != 201 || seen["data"] != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
}

}  // namespace types_features_test
