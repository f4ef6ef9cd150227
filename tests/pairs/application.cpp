#include "application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "base/ascii.hpp"
#if FAIRWAY_HTTP2
#include "http/http2_client.hpp"
#endif
#include "http/loopback.hpp"
#ifdef PAIRS_DECODE
#include "support/decode.hpp"
#endif

namespace pairs {
namespace {

using fw::Json;
using fw::Request;
using fw::Response;

constexpr const char* kDocument = R"({"openapi": "3.1.0", "paths": {"/t/called": {"get": {
  "operationId": "called", "responses": {"200": {}}}}}})";

/// Long enough to be compressed.
const std::string kPadding(160, '.');

std::string decoded(const Fields& fields, std::string body) {
#ifdef PAIRS_DECODE
  const auto coding = field_of(fields, "content-encoding");
  if (coding && !body.empty()) return fw::support::decode(*coding, body);
#else
  static_cast<void>(fields);
#endif
  return body;
}

}  // namespace

void LineLog::write(const fw::LogRecord& record) {
  Line line{.request_id = std::string(record.request_id),
            .message = std::string(record.message),
            .fields = record.fields.is_null() ? std::string() : record.fields.dump()};
  if (record.fields.is_object() && record.fields.contains("status") &&
      record.fields.contains("method")) {
    line.status = record.fields["status"].get<int>();
  } else if (const auto end = line.message.find("ms | "); end != std::string::npos) {
    // "GET /path 200 3ms | 127.0.0.1"
    const auto duration = line.message.rfind(' ', end);
    const auto status = line.message.rfind(' ', duration - 1);
    line.status = std::stoi(line.message.substr(status + 1, duration - status - 1));
  }
  const std::lock_guard lock(mutex_);
  lines_.push_back(std::move(line));
}

std::vector<LineLog::Line> LineLog::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

std::string Plan::name() const {
  std::string name;
  for (const Feature* feature : features) {
    name += (name.empty() ? "" : " + ") + std::string(feature->name);
  }
  return name.empty() ? "(none)" : name;
}

Application::Application(const Plan& plan)
    : blueprint_(make_blueprint(plan.features)),
      way_(plan.way),
      store_(plan.store ? plan.store : std::make_shared<WatchedStore>(fw::memory_store(), false)),
      log_(std::make_shared<LineLog>()) {
  if (plan.adjust) plan.adjust(blueprint_);
  if (blueprint_.has("custom-key") && blueprint_.cache == std::nullopt) blueprint_.cached();
  table_.middleware("watch", fw::define_middleware([this](Request&, Response&, fw::Next next) {
                      struct Leaving {
                        std::atomic<int>& count;
                        ~Leaving() { ++count; }
                      } const leaving{state_.left};
                      ++state_.entered;
                      next();
                    }));
  table_.page("plain.html", "<p>{{seen}}</p>\n");
  table_.page("plain.js", "console.log(1);\n");
  if (blueprint_.has("tool")) table_.openapi(kDocument);
  table_.routes([this](fw::Router& router) { register_routes(router); });
  const auto set_up = [this](fw::App& app) {
    app.set_logger(fw::Logger(log_));
    app.set_store("cache", store_);
    app.set_store("session", store_);
    if (blueprint_.has("rate-key")) app.set_store("rate-limit", store_);
    for (const fw::Middleware& middleware : blueprint_.middlewares) app.use(middleware);
    for (const auto& action : blueprint_.set_up) action(app);
  };
  if (way_ == Way::in_process) {
    in_process_ = std::make_unique<fw::testing::TestApp>(table_.table(), blueprint_.config, set_up);
    return;
  }
  fw::Config config = blueprint_.config;
  config.host = "127.0.0.1";
  config.port = 0;
  config.server.http2.cleartext = way_ == Way::http2;
  networked_ = std::make_unique<fw::App>(std::move(config));
  set_up(*networked_);
  networked_->mount(table_.table());
  networked_->start();
}

Application::~Application() {
  state_.gate.open();
  if (networked_) networked_->stop();
}

fw::App& Application::app() { return networked_ ? *networked_ : in_process_->app(); }

Json Application::look(Request& req, Response& res, Kind kind) {
  Json seen = {{"version", state_.version.load()}, {"padding", kPadding}};
  if (const std::string marker = marker_of(kind); !marker.empty()) seen["route"] = marker;
  for (const auto& observer : blueprint_.observers) observer(req, res, seen);
  return seen;
}

void Application::respond(Request& req, Response& res, Kind kind) {
  ++state_.runs;
  Json seen = look(req, res, kind);
  switch (kind) {
    case Kind::page:
    case Kind::revalidated_page:
      return res.render("plain", Json{{"seen", seen.dump()}});
    case Kind::stream:
      return res.stream(fw::Readable(seen.dump()), "text/plain");
    case Kind::events: {
      res.events().send("seen", seen);
      return;
    }
    case Kind::live_upload: {
      fw::Readable body = req.body_stream();
      std::array<char, 64> buffer;
      std::size_t size = 0;
      while (const std::size_t count = body.read(buffer)) size += count;
      seen["received"] = size;
      return res.json(std::move(seen));
    }
    case Kind::error: {
      const int status = std::stoi(std::string(req.query("status").value_or("404")));
      if (req.query("sent")) return res.json(std::move(seen), status);
      // For the response that the handler meant to send.
      res.set_header("cache-control", "public, max-age=86400");
      res.set_header("etag", "\"whole\"");
      res.set_header("last-modified", "Mon, 01 Jan 2024 00:00:00 GMT");
      return fw::raise(status, "error of " + marker_of(kind));
    }
    case Kind::partial:
      if (state_.sends_parts || req.header("range")) {
        res.set_header("content-range", "items 0-1/5");
        res.status(206);
      }
      return res.json(std::move(seen));
    case Kind::proxied:
      return req.app().fetch.proxy[req.query("down") ? "nobody" : "upstream"](
          req, res, {.path = req.query("held") ? "/held" : "/echo"});
    case Kind::upload:
      seen["files"] = req.files().size();
      return res.json(std::move(seen));
    case Kind::post:
      seen["word"] = req.body().is_object() ? req.body().value("word", "none") : "none";
      return res.json(std::move(seen));
    case Kind::slow:
      while (!req.signal().stop_requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return res.json(std::move(seen));
    default:
      return res.json(std::move(seen));
  }
}

fw::RouteOptions Application::options_of(Kind kind) const {
  fw::RouteOptions options = blueprint_.options;
  if (blueprint_.cache) options.cache = *blueprint_.cache;
  if (kind == Kind::static_page || kind == Kind::revalidated_page) {
    options.auth = {};  // these exclude it, and the cache
    options.cache = {};
    options.frontend.page = "plain";
    options.frontend.mode = kind == Kind::static_page ? "static" : "revalidate";
    if (kind == Kind::revalidated_page) options.frontend.revalidate = 60;
  }
  if (kind == Kind::upload) {
    options.multipart = {.enabled = true, .files = {{"avatar", {.required = true}}}};
  }
  if (kind == Kind::post && blueprint_.has("post-cache")) {
    fw::RouteCacheOptions cache =
        blueprint_.cache.value_or(fw::RouteCacheOptions{.ttl = 60'000, .tags = {"items"}});
    cache.methods = {"POST"};
    options.cache = cache;
  }
  if (kind == Kind::slow) options.timeout = 20;
  if (kind == Kind::events) {
    options.cache = {};  // excludes events
    options.responses = {{"200", fw::events({{"seen", "any"}})}};
  }
  if (kind == Kind::live_upload) options.body_parser = {.stream = true};
  return options;
}

void Application::register_kind(fw::Router& router, Kind kind) {
  if (kind == Kind::file) return;
  if (kind == Kind::tool) {
    fw::RouteOptions options = options_of(kind);
    options.docs.operation_id = "called";
    options.mcp = true;
    return router.get(std::string(kToolRoute), std::move(options),
                      [this](Request& req, Response& res) { respond(req, res, Kind::tool); });
  }
  const auto handler = [this, kind](Request& req, Response& res) { respond(req, res, kind); };
  if (has_body(kind)) return router.post(path_of(kind), options_of(kind), handler);
  router.get(path_of(kind), options_of(kind), handler);
}

/// Their handlers wait for the gate; a middleware counts who is in them.
void Application::register_gated_routes(fw::Router& router) {
  const auto handler = [this](Request& req, Response& res) {
    Json seen = look(req, res, Kind::json);
    ++state_.gated_runs;
    state_.gate.wait();
    res.json(std::move(seen), state_.gated_status);
  };
  fw::RouteOptions options = options_of(Kind::json);
  options.middlewares = {"watch"};
  router.get("/gated", options, handler);
  router.get("/gated-beside", options, handler);
  router.get("/watched", options, [](Request&, Response& res) { res.json("watched"); });
  router.get("/entered", [this](Request&, Response& res) { res.json(state_.entered.load()); });
  options.timeout = 50;
  router.get("/gated-timeout", std::move(options), handler);
  if (std::ranges::find(blueprint_.kinds, Kind::revalidated_page) == blueprint_.kinds.end()) return;
  options = options_of(Kind::revalidated_page);
  options.middlewares = {"watch"};
  router.get("/gated-page", std::move(options), [this](Request& req, Response& res) {
    const Json seen = look(req, res, Kind::json);
    ++state_.gated_runs;
    state_.gate.wait();
    res.render("plain", Json{{"seen", seen.dump()}});
  });
}

void Application::register_routes(fw::Router& router) {
  for (const Kind kind : blueprint_.kinds) register_kind(router, kind);
  register_gated_routes(router);
  router.put("/update", {.csrf = false}, [this](Request& req, Response& res) {
    ++state_.version;
    req.app().cache().invalidate("items");
    res.json("updated");
  });
  if (blueprint_.has("custom-key")) {
    // Public routes whose keys are what the client says, or the same for all.
    const auto found = [](Request&, Response& res) { res.json({{"route", "route-search-c4n"}}); };
    router.get(
        "/search",
        {.cache = {{.ttl = 60'000,
                    .key =
                        [](Request& req) { return std::string(req.query("key").value_or("")); }}}},
        found);
    for (const std::string name : {"first", "second"}) {
      router.get(
          "/constant-" + name, {.cache = {{.ttl = 60'000, .key = "constant"}}},
          [name](Request&, Response& res) { res.json({{"route", "route-" + name + "-c4n"}}); });
    }
  }
  if (blueprint_.config.csrf.enabled) {
    router.get("/token",
               [](Request& req, Response& res) { res.json({{"token", req.csrf_token()}}); });
  }
  if (!blueprint_.config.session.enabled) return;
  router.post("/login", {.csrf = false}, [](Request& req, Response& res) {
    req.session().regenerate();
    req.session().set("user", std::string(req.header("x-login").value_or("")));
    res.json("signed in");
  });
  router.post("/logout", {.csrf = false}, [](Request& req, Response& res) {
    req.session().destroy();
    res.json("signed out");
  });
  router.get("/rotate", [this](Request& req, Response& res) {
    static_cast<void>(req.session().data());
    ++state_.gated_runs;
    state_.gate.wait();
    req.session().regenerate();
    res.json("rotated");
  });
  router.get("/who", [](Request& req, Response& res) {
    res.json({{"user", req.session().get<std::string>("user").value_or("nobody")}});
  });
}

Message Application::message(const Client& client, std::string method, std::string target) {
  Message message{.client = client, .method = std::move(method), .target = std::move(target)};
  message.id = fmt::format("request-{:08}", ++last_id_);
  auto& fields = message.fields;
  const auto at = [](std::span<const std::string_view> values, int index) {
    return std::string(values[static_cast<std::size_t>(index)]);
  };
  fields.emplace_back("host", at(kHosts, client.host));
  fields.emplace_back("x-request-id", message.id);
  fields.emplace_back("accept-language", at(kLanguages, client.language));
  fields.emplace_back("x-tenant", at(kTenants, client.tenant));
  if (client.origin >= 0) fields.emplace_back("origin", at(kOrigins, client.origin));
  if (client.accepts_gzip) fields.emplace_back("accept-encoding", "gzip");
  if (client.has_token) {
    fields.emplace_back("authorization", "Bearer " + at(kTokens, client.user));
  }
  std::string cookies;
  if (client.has_cookies) {
    cookies = "visitor=" + at(kVisitors, client.user);
    for (const auto& [name, value] : jars_[client.user]) cookies += "; " + name + "=" + value;
    fields.emplace_back("cookie", cookies);
  }
  return message;
}

Message Application::message(const Client& client, Kind kind, std::string_view query) {
  Message result =
      message(client, has_body(kind) ? "POST" : "GET", path_of(kind) + std::string(query));
  if (blueprint_.requires_user && !client.has_token && kind != Kind::tool &&
      kind != Kind::static_page && kind != Kind::revalidated_page && kind != Kind::file) {
    result.expected = {401};
  }
  if (blueprint_.has("guard") && client.tenant == 1 && kind != Kind::file) result.expected = {403};
  if (kind == Kind::proxied) {
    result.fields.emplace_back("connection", "x-hop");
    result.fields.emplace_back("x-hop", kHop);
  }
  if (kind == Kind::post) {
    result.fields.emplace_back("content-type", "application/json");
    result.body = Json{{"word", kWords[0]}}.dump();
  }
  if (kind == Kind::tool) {
    result.fields.emplace_back("content-type", "application/json");
    result.body = Json{{"jsonrpc", "2.0"},
                       {"id", 1},
                       {"method", "tools/call"},
                       {"params", {{"name", "called"}}}}
                      .dump();
  }
  if (kind == Kind::live_upload) {
    result.fields.emplace_back("content-type", "text/plain");
    result.body = std::string(200, 'b');
  }
  if (kind == Kind::upload) {
    result.fields.emplace_back("content-type", "multipart/form-data; boundary=limit");
    result.body =
        "--limit\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"a.png\"\r\n"
        "Content-Type: image/png\r\n\r\npicture\r\n--limit--\r\n";
  }
  if (has_body(kind) && kind != Kind::tool && blueprint_.config.csrf.enabled) {
    const auto token = csrf_tokens_.find(client.has_cookies ? client.user : -1);
    if (client.has_cookies && token != csrf_tokens_.end()) {
      result.fields.emplace_back("x-csrf-token", token->second);
    } else {
      result.expected = {403};
      if (blueprint_.requires_user && !client.has_token) result.expected.push_back(401);
    }
  }
  return result;
}

void Application::sign_in() {
  for (int user = 0; user < 2; ++user) {
    const Client client{.name = std::string(kUsers[user]), .user = user, .has_cookies = true};
    if (blueprint_.config.session.enabled) {
      Message login = message(client, "POST", "/login");
      login.fields.emplace_back("x-login", kUsers[user]);
      send(std::move(login));
    }
    if (blueprint_.config.csrf.enabled) {
      const Exchange token = send(message(client, "GET", "/token"));
      const Json body = Json::parse(token.reply.body, nullptr, false);
      if (token.reply.status != 200 || !body.is_object()) continue;
      csrf_tokens_[user] = body.at("data").at("token").get<std::string>();
      secrets_.emplace_back(user, csrf_tokens_[user]);
    }
  }
}

Exchange Application::send(Message message) {
  Exchange exchange{std::move(message), {}};
  try {
    const Message& request = exchange.request;
    exchange.reply = way_ == Way::http1   ? send_over_http1(request)
                     : way_ == Way::http2 ? send_over_http2(request)
                                          : send_in_process(request);
    for (auto& [name, value] : exchange.reply.fields) name = fw::base::lower_case(name);
    exchange.reply.sent_bytes = exchange.reply.body.size();
    exchange.reply.body = decoded(exchange.reply.fields, std::move(exchange.reply.body));
  } catch (const std::exception& error) {
    exchange.reply.error = error.what();
  }
  keep_cookies(exchange);
  return exchange;
}

Reply Application::send_in_process(const Message& message) {
  auto request = in_process_->request(message.method, message.target);
  for (const auto& [name, value] : message.fields) request.header(name, value);
  request.remote_address(std::string(kAddresses[static_cast<std::size_t>(message.client.address)]));
  if (!message.body.empty()) request.body(message.body);
  auto response = request.send();
  return {response.status, std::move(response.headers), std::move(response.body)};
}

Reply Application::send_over_http1(const Message& message) {
  std::string bytes = message.method + " " + message.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : message.fields) bytes += name + ": " + value + "\r\n";
  if (!message.body.empty()) {
    bytes += "content-length: " + std::to_string(message.body.size()) + "\r\n";
  }
  fw::http::test::Client client(networked_->port());
  const auto response = client.exchange(bytes + "\r\n" + message.body, message.method);
  if (!response.is_complete) return {.error = "the connection ended"};
  return {response.status, response.fields.pairs(), response.body};
}

Reply Application::send_over_http2(const Message& message) {
#if FAIRWAY_HTTP2
  fw::http::Fields fields;
  std::string target = message.target;
  for (const auto& [name, value] : message.fields) {
    // There is no Connection in HTTP/2, and no field that it names (RFC 9113, 8.2.2).
    if (name == "connection" || name == "x-hop") continue;
    fields.add(name == "host" ? ":authority" : name, value);
  }
  fw::http::test::Http2Client client(networked_->port());
  const auto stream = client.begin(message.method, target, fields, !message.body.empty());
  if (!message.body.empty()) client.send_body(stream, message.body);
  const auto& response = client.wait(stream);
  if (!response.is_complete) return {.error = "the stream ended"};
  return {response.status, response.fields.pairs(), response.body};
#else
  return send_over_http1(message);
#endif
}

void Application::keep_cookies(const Exchange& exchange) {
  if (!exchange.request.client.has_cookies) return;
  const int user = exchange.request.client.user;
  for (const auto& [name, line] : exchange.reply.fields) {
    if (name != "set-cookie") continue;
    const auto equals = line.find('=');
    const std::string cookie = line.substr(0, equals);
    if (cookie != blueprint_.config.session.name && cookie != blueprint_.config.csrf.name) continue;
    std::string value = line.substr(equals + 1, line.find(';') - equals - 1);
    if (value.empty() || jars_[user][cookie] == value) continue;
    secrets_.emplace_back(user, value);
    jars_[user][cookie] = std::move(value);
  }
}

}  // namespace pairs
