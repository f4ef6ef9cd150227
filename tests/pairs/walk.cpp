#include "walk.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace pairs {
namespace {

/// A client who differs from `base` in one thing.
template <class Change>
Client changed(Client base, std::string name, const Change& change) {
  base.name = std::move(name);
  change(base);
  return base;
}

Client user_client(int user, bool has_token, bool has_cookies) {
  Client client{.name = std::string(kUsers[user]), .user = user};
  client.has_token = has_token;
  client.has_cookies = has_cookies;
  return client;
}

/// The client from which the others differ: an anonymous one, if the routes permit it.
Client base_client(const Blueprint& blueprint) {
  Client base = blueprint.requires_user ? user_client(0, true, false) : Client{};
  if (blueprint.has("csrf") && (blueprint.has("upload") || blueprint.has("post-cache"))) {
    base = user_client(0, blueprint.requires_user, true);
  }
  base.name = "base";
  return base;
}

std::vector<Client> clients_of(const Blueprint& blueprint) {
  const Client base = base_client(blueprint);
  std::vector<Client> clients = {base, base};
  const auto add = [&](std::string name, const auto& change) {
    clients.push_back(changed(base, std::move(name), change));
  };
  add("other host", [](Client& client) { client.host = 1; });
  add("other language", [](Client& client) { client.language = 1; });
  const auto observes = [&](Dimension dimension) { return blueprint.observed.contains(dimension); };
  if (observes(Dimension::origin)) {
    add("other origin", [](Client& client) { client.origin = 1; });
    add("no origin", [](Client& client) { client.origin = -1; });
  }
  if (observes(Dimension::tenant)) add("other tenant", [](Client& client) { client.tenant = 1; });
  if (observes(Dimension::address)) {
    add("other address", [](Client& client) { client.address = 1; });
  }
  if (blueprint.has("compression")) {
    add("gzip", [](Client& client) { client.accepts_gzip = true; });
    clients.push_back(clients.back());
  }
  // Nobody with a token only, then the users with all that they have, in turn.
  for (const bool has_cookies : {false, true}) {
    if (!has_cookies && !observes(Dimension::user)) continue;
    for (const int user : {0, 1, 0}) clients.push_back(user_client(user, true, has_cookies));
  }
  clients.push_back(changed(user_client(1, false, true), "user with cookies only", [](Client&) {}));
  clients.push_back(changed(Client{}, "anonymous", [](Client&) {}));
  clients.push_back(base);
  return clients;
}

std::string query_of(Kind kind) { return kind == Kind::error ? "?status=404" : ""; }

class Walk {
 public:
  Walk(Application& app, std::mt19937* random, Report& report)
      : app_(app), random_(random), report_(report) {}

  void run() {
    app_.sign_in();
    for (const Kind kind : app_.blueprint().kinds) visit(kind);
    check_log(app_, transcript_, report_);
  }

 private:
  Exchange send(Message message) {
    Exchange exchange = app_.send(std::move(message));
    check_response(app_, exchange, report_);
    transcript_.push_back(exchange);
    return exchange;
  }

  void visit(Kind kind) {
    const std::size_t begin = transcript_.size();
    const Client base = base_client(app_.blueprint());
    if (kind == Kind::slow) {
      // Each takes the time of the time-out.
      Message message = app_.message(base, kind);
      message.expected = {504};
      send(std::move(message));
      return;
    }
    if (kind == Kind::partial || kind == Kind::file) visit_parts(kind, base);
    if (!has_body(kind)) visit_first(kind, base);
    std::vector<Client> clients = clients_of(app_.blueprint());
    if (random_) std::ranges::shuffle(clients, *random_);
    for (const Client& client : clients) send(app_.message(client, kind, query_of(kind)));
    if (app_.blueprint().observed.contains(Dimension::query)) visit_queries(kind, base);
    if (kind == Kind::post) visit_bodies(kind, base);
    if (kind == Kind::error) visit_errors(kind, base);
    if (kind == Kind::proxied) visit_broken_upstream(base);
    if (!has_body(kind)) {
      visit_conditional(kind, base);
      visit_head(kind, base);
    }
    if (kind == Kind::json) visit_cached(base);
    check_shared_cache(
        app_,
        Transcript(transcript_.begin() + static_cast<std::ptrdiff_t>(begin), transcript_.end()),
        report_);
  }

  /// Requests for which nothing is stored yet, and whose responses must not be stored for others:
  /// HEAD, and a target that names another host than the Host field.
  void visit_first(Kind kind, const Client& base) {
    Message head = app_.message(base, kind, query_of(kind));
    head.method = "HEAD";
    send(std::move(head));
    Message absolute = app_.message(base, kind, query_of(kind));
    absolute.client.host = 1;
    absolute.target = "http://" + std::string(kHosts[1]) + absolute.target;
    send(std::move(absolute));
    const Exchange whole = send(app_.message(base, kind, query_of(kind)));
    report_.check("stored-is-whole/head-first", !whole.reply.body.empty(),
                  "the body, although HEAD came first", whole);
    if (app_.blueprint().has("cors")) visit_preflight(kind);
  }

  void visit_preflight(Kind kind) {
    for (const int origin : {0, 1}) {
      Message preflight = app_.message({.name = "browser", .origin = origin}, kind);
      preflight.method = "OPTIONS";
      preflight.fields.emplace_back("access-control-request-method", "GET");
      preflight.expected = {204, 200};
      const Exchange exchange = app_.send(std::move(preflight));
      check_response(app_, exchange, report_);
      report_.check(
          "accepted-has-effect/cors",
          field_of(exchange.reply.fields, "access-control-allow-origin") == kOrigins[origin],
          "the origin is allowed", exchange);
    }
  }

  /// An upstream that does not respond, and a query that the log must not contain.
  void visit_broken_upstream(const Client& base) {
    Message message = app_.message(base, Kind::proxied, "?down=1&q=" + std::string(kQueries[0]));
    message.expected = {502};
    send(std::move(message));
  }

  /// A part first, then the whole.
  void visit_parts(Kind kind, const Client& base) {
    for (const bool is_part : {true, false, true, false}) {
      Message message = app_.message(base, kind);
      if (is_part)
        message.fields.emplace_back("range", kind == Kind::file ? "bytes=0-3" : "items=0-1");
      send(std::move(message));
    }
  }

  void visit_queries(Kind kind, const Client& base) {
    for (const std::string_view query : kQueries) {
      const char* const separator = query_of(kind).empty() ? "?q=" : "&q=";
      send(app_.message(base, kind, query_of(kind) + separator + std::string(query)));
    }
  }

  void visit_bodies(Kind kind, const Client& base) {
    Message message = app_.message(base, kind);
    message.word = 1;
    message.body = fw::Json{{"word", kWords[1]}}.dump();
    send(std::move(message));
    Message malformed = app_.message(base, kind);
    malformed.body = "{\"word\":";
    malformed.expected = {400, 403};
    send(std::move(malformed));
  }

  void visit_errors(Kind kind, const Client& base) {
    for (const int status : {400, 410, 500, 503}) {
      Message message = app_.message(base, kind, "?status=" + std::to_string(status));
      message.expected = {status};
      send(std::move(message));
    }
    // A request that no route matches, and one with a method that no route has.
    Message unknown = app_.message(base, "GET", "/unknown");
    unknown.expected = {404};
    send(std::move(unknown));
    Message method = app_.message(base, "DELETE", path_of(kind));
    method.expected = {405};
    send(std::move(method));
  }

  void visit_conditional(Kind kind, const Client& base) {
    const Exchange whole = send(app_.message(base, kind, query_of(kind)));
    const auto tag = field_of(whole.reply.fields, "etag");
    if (whole.reply.status != 200 || !tag) return;
    for (Client client : clients_of(app_.blueprint())) {
      Message message = app_.message(client, kind, query_of(kind));
      message.fields.emplace_back("if-none-match", *tag);
      const Exchange conditional = send(std::move(message));
      if (conditional.reply.status != 304) continue;
      if (client.name == "base") check_not_modified(whole, conditional, report_);
      // The client would take the body of the first response as its own.
      const Reply kept{.status = 200, .body = whole.reply.body};
      const Canary* foreign = find_foreign_canary(app_, conditional.request, kept);
      report_.check(
          "private-stays-private/not-modified", foreign == nullptr,
          [&] { return "no 304 for a response that contains " + foreign->value; },
          [&] { return describe(whole) + "    and then\n" + describe(conditional); });
    }
    Message message = app_.message(base, kind, query_of(kind));
    message.fields.emplace_back("if-match", "\"other\"");
    message.expected = {412};
    send(std::move(message));
  }

  void visit_head(Kind kind, const Client& base) {
    if (app_.blueprint().has("stale")) return;  // two requests differ by design
    const Exchange get = send(app_.message(base, kind, query_of(kind)));
    Message message = app_.message(base, kind, query_of(kind));
    message.method = "HEAD";
    // The proxy's response to HEAD has no Content-Length (docs/proxy.md).
    check_head(get, send(std::move(message)), kind == Kind::proxied, report_);
  }

  void visit_cached(const Client& base) {
    if (!app_.blueprint().is_storable()) return;
    Client client = base;
    if (app_.blueprint().cache->partition_key) client = user_client(0, true, false);
    send(app_.message(client, Kind::json));
    const Exchange hit = send(app_.message(client, Kind::json));
    report_.check("accepted-has-effect/cache", field_of(hit.reply.fields, "x-cache") == "HIT",
                  "the second of two equal requests gets X-Cache: HIT", hit);
    if (app_.blueprint().has("compression")) {
      client.accepts_gzip = true;
      const Exchange compressed = send(app_.message(client, Kind::json));
      report_.check("accepted-has-effect/compression",
                    field_of(compressed.reply.fields, "content-encoding") == "gzip",
                    "Content-Encoding: gzip", compressed);
    }
    if (app_.blueprint().has("etag")) {
      report_.check("accepted-has-effect/etag", field_of(hit.reply.fields, "etag").has_value(),
                    "an ETag", hit);
    }
  }

  Application& app_;
  std::mt19937* const random_;
  Report& report_;
  Transcript transcript_;
};

}  // namespace

void walk(Application& app, std::mt19937* random, Report& report) {
  Walk(app, random, report).run();
}

namespace {

void compare_with(Way way, const Plan& plan, Report& report) {
  Application in_process(plan);
  if (in_process.blueprint().has("stale")) return;  // two requests differ by design
  // What the handlers respond with differs by design, and the fields that the upstream gets.
  const bool has_own_version = way == Way::http2 && in_process.blueprint().has("version");
  if (has_own_version) return;
  Plan networked_plan = plan;
  networked_plan.way = way;
  Application networked(networked_plan);
  const std::string_view rule =
      way == Way::http2 ? "same-everywhere/http2" : "same-everywhere/socket";
  const auto compare = [&](const Client& client, Kind kind, const std::string& method,
                           const std::string& target) {
    const auto send = [&](Application& app) {
      Message message = app.message(client, kind, query_of(kind));
      if (!method.empty()) message.method = method;
      if (!target.empty()) message.target = target;
      return app.send(std::move(message));
    };
    Exchange first = send(in_process);
    const Exchange second = send(networked);
    // The addresses themselves differ, and so do the entity tags of bodies that name them.
    if (in_process.blueprint().has("address")) {
      first.reply.body = second.reply.body;
      const auto tag = field_of(second.reply.fields, "etag");
      for (auto& [name, value] : first.reply.fields) {
        if (name == "etag" && tag) value = *tag;
      }
    }
    report.count_request();
    check_same(first, second, rule, report);
  };
  in_process.sign_in();
  networked.sign_in();
  for (const Kind kind : in_process.blueprint().kinds) {
    if (kind == Kind::slow) continue;
    for (const Client& client : clients_of(in_process.blueprint())) {
      if (client.address != 0) continue;  // over the socket, all have one address
      compare(client, kind, "", "");
    }
    const Client base = base_client(in_process.blueprint());
    if (!has_body(kind)) compare(base, kind, "HEAD", "");
    compare(base, kind, "DELETE", "");
    compare(base, kind, "", path_of(kind) + "/");
    compare(base, kind, "", "/unknown");
    compare(base, kind, "", path_of(kind) + "?%00=%zz");
  }
}

}  // namespace

void compare_with_socket(const Plan& plan, Report& report) {
  compare_with(Way::http1, plan, report);
#if FAIRWAY_HTTP2
  compare_with(Way::http2, plan, report);
#endif
}

}  // namespace pairs
