#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/ascii.hpp"

namespace pairs {
namespace {

std::vector<Canary> make_canaries() {
  std::vector<Canary> canaries;
  const auto add = [&](Dimension dimension, std::span<const std::string_view> values) {
    for (const std::string_view value : values) canaries.push_back({dimension, std::string(value)});
  };
  add(Dimension::user, kUsers);
  add(Dimension::secret, kTokens);
  add(Dimension::visitor, kVisitors);
  add(Dimension::host, kHosts);
  add(Dimension::address, kAddresses);
  add(Dimension::language, kGreetings);
  add(Dimension::origin, kOrigins);
  add(Dimension::tenant, kTenants);
  add(Dimension::word, kWords);
  add(Dimension::query, kQueries);
  for (const Kind kind :
       {Kind::json, Kind::page, Kind::revalidated_page, Kind::stream, Kind::error, Kind::partial,
        Kind::upload, Kind::post, Kind::slow, Kind::events, Kind::live_upload, Kind::tool}) {
    canaries.push_back({Dimension::route, marker_of(kind)});
  }
  for (const char* name : {"search", "first", "second"}) {
    canaries.push_back({Dimension::route, fmt::format("route-{}-c4n", name)});
  }
  return canaries;
}

const std::vector<Canary>& canaries() {
  static const std::vector<Canary> all = make_canaries();
  return all;
}

template <std::size_t N>
bool is_at(const std::string_view (&values)[N], int index, std::string_view value) {
  return index >= 0 && values[static_cast<std::size_t>(index)] == value;
}

/// Whether a response to the request may contain the value.
bool is_own(const Message& request, const Canary& canary) {
  const Client& client = request.client;
  switch (canary.dimension) {
    case Dimension::user:
      return (client.has_token || client.has_cookies) && is_at(kUsers, client.user, canary.value);
    case Dimension::visitor:
      return client.has_cookies && is_at(kVisitors, client.user, canary.value);
    case Dimension::host:
      return is_at(kHosts, client.host, canary.value);
    case Dimension::address:
      return is_at(kAddresses, client.address, canary.value);
    case Dimension::language:
      return is_at(kGreetings, client.language, canary.value);
    case Dimension::origin:
      return is_at(kOrigins, client.origin, canary.value);
    case Dimension::tenant:
      return is_at(kTenants, client.tenant, canary.value);
    case Dimension::word:
      return is_at(kWords, request.word, canary.value);
    case Dimension::query:
      return request.target.find(canary.value) != std::string::npos;
    case Dimension::route: {
      const std::string name = canary.value.substr(6, canary.value.size() - 10);
      const std::string path = request.target.substr(0, request.target.find('?'));
      return path.ends_with("/" + name) || path.ends_with("constant-" + name) ||
             (name == "json" && path.starts_with("/gated"));
    }
    default:
      return false;
  }
}

bool contains(const Reply& reply, std::string_view value) {
  if (reply.body.find(value) != std::string::npos) return true;
  return std::ranges::any_of(reply.fields, [&](const auto& field) {
    return field.second.find(value) != std::string::npos;
  });
}

/// The rule that a response with a value of another client breaks.
std::string_view leak_rule(Dimension dimension) {
  switch (dimension) {
    case Dimension::user:
    case Dimension::visitor:
      return "private-stays-private/other-user";
    case Dimension::session:
      return "private-stays-private/other-session";
    case Dimension::host:
      return "host-is-input/other-host";
    case Dimension::address:
      return "host-is-input/other-address";
    case Dimension::language:
      return "vary-covers-observed/other-language";
    case Dimension::origin:
      return "vary-covers-observed/other-origin";
    case Dimension::tenant:
      return "vary-covers-observed/other-header";
    case Dimension::word:
      return "vary-covers-observed/other-body";
    case Dimension::query:
      return "vary-covers-observed/other-query";
    case Dimension::route:
      return "route-owns-its-keys/other-route";
    case Dimension::secret:
      return "secrets-stay/in-response";
  }
  return "private-stays-private/other-user";
}

std::string_view shared_leak_rule(Dimension dimension) {
  switch (dimension) {
    case Dimension::host:
    case Dimension::language:
    case Dimension::origin:
    case Dimension::tenant:
      return "vary-covers-observed/shared-cache";
    default:
      return "private-stays-private/shared-cache";
  }
}

bool is_error(const Reply& reply) { return reply.status >= 400; }

std::string cache_control(const Reply& reply) {
  return joined_field(reply.fields, "cache-control");
}

/// Whether the response permits caches that several users share.
bool is_public(const Reply& reply) {
  const std::string control = cache_control(reply);
  return lists(control, "public") || seconds_of(control, "s-maxage").has_value();
}

bool is_from_cache(const Reply& reply) {
  const auto outcome = field_of(reply.fields, "x-cache");
  return outcome == "HIT" || outcome == "STALE";
}

Kind kind_of(const Message& request) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  for (const Kind kind :
       {Kind::json, Kind::page, Kind::static_page, Kind::revalidated_page, Kind::stream,
        Kind::error, Kind::partial, Kind::proxied, Kind::upload, Kind::post, Kind::slow, Kind::file,
        Kind::events, Kind::live_upload, Kind::tool}) {
    if (path == path_of(kind)) return kind;
  }
  return Kind::json;
}

void check_error(const Exchange& exchange, Report& report) {
  const Reply& reply = exchange.reply;
  const std::string control = cache_control(reply);
  const bool is_cacheable = is_public(reply) || seconds_of(control, "max-age").value_or(0) > 0 ||
                            field_of(reply.fields, "expires");
  report.check("stored-is-whole/error-cacheable", !is_cacheable,
               "an error has no freshness of the response that failed", exchange);
  report.check("stored-is-whole/error-no-store", lists(control, "no-store"),
               "Cache-Control: no-store", exchange);
  report.check("stored-is-whole/error-from-cache", !field_of(reply.fields, "x-cache"),
               "an error has no X-Cache", exchange);
  const bool has_validator =
      field_of(reply.fields, "etag") || field_of(reply.fields, "last-modified");
  report.check("stored-is-whole/error-validator", !has_validator,
               "an error has neither ETag nor Last-Modified of the response that failed", exchange);
}

void check_vary(const Exchange& exchange, Report& report) {
  const Reply& reply = exchange.reply;
  const std::string vary = joined_field(reply.fields, "vary");
  const auto allowed = field_of(reply.fields, "access-control-allow-origin");
  if (allowed && *allowed != "*") {
    report.check("vary-covers-observed/allowed-origin", lists(vary, "origin"),
                 "Vary: Origin, because Access-Control-Allow-Origin names one", exchange);
  }
  if (field_of(reply.fields, "content-encoding")) {
    report.check("vary-covers-observed/coding", lists(vary, "accept-encoding"),
                 "Vary: Accept-Encoding", exchange);
  }
}

std::size_t count_lines(const Fields& fields, std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields, [&](const auto& field) { return field.first == name; }));
}

/// The first member that a comma-separated list has twice, without its value; empty if none.
std::string repeated_member(std::string_view list) {
  std::set<std::string> members;
  std::string repeated;
  fw::base::for_each_token(list, ',', [&](std::string_view token) {
    const std::string name =
        fw::base::lower_case(fw::base::trim_ows(token.substr(0, token.find('='))));
    if (!members.insert(name).second && repeated.empty()) repeated = name;
  });
  return repeated;
}

/// What several features contribute to, but one step decides.
void check_last_step(const Exchange& exchange, Report& report) {
  const auto& [request, reply] = exchange;
  for (const char* name :
       {"age", "cache-control", "content-encoding", "content-length", "content-range",
        "content-type", "etag", "expires", "last-modified", "location", "x-cache"}) {
    report.check(
        "one-last-step/once", count_lines(reply.fields, name) <= 1,
        [&] { return fmt::format("one line of {}", name); }, [&] { return describe(exchange); });
  }
  std::set<std::string_view> cookies;
  for (const auto& [name, value] : reply.fields) {
    if (name != "set-cookie") continue;
    report.check("one-last-step/cookie-once",
                 cookies.insert(std::string_view(value).substr(0, value.find('='))).second,
                 "each cookie is set once", exchange);
  }
  const std::string control = cache_control(reply);
  for (const std::string_view list :
       {std::string_view(control), field_of(reply.fields, "vary").value_or("")}) {
    const std::string repeated = repeated_member(list);
    report.check(
        "one-last-step/member-once", repeated.empty(), [&] { return "one mention of " + repeated; },
        [&] { return describe(exchange); });
  }
  const bool may_reuse = is_public(reply) || seconds_of(control, "max-age").value_or(0) > 0;
  report.check("one-last-step/freshness",
               !(lists(control, "no-store") && may_reuse) &&
                   !(lists(control, "private") && is_public(reply)),
               "no directives that contradict each other", exchange);
  const auto length = field_of(reply.fields, "content-length");
  const bool has_body = request.method != "HEAD" && reply.status != 304;
  if (length && has_body) {
    report.check("one-last-step/length", *length == std::to_string(reply.sent_bytes),
                 "the length of the body as it is sent", exchange);
  }
  const bool is_bare = reply.status == 204 || reply.status == 304;
  report.check(
      "one-last-step/content-fields",
      !is_bare || (!field_of(reply.fields, "content-encoding") &&
                   !field_of(reply.fields, "content-type") && (reply.status == 304 || !length)),
      "no fields of a body that is not there", exchange);
}

void check_completeness(const Exchange& exchange, Kind kind, Report& report) {
  const bool has_range = field_of(exchange.request.fields, "range").has_value();
  if (exchange.reply.status == 206) {
    report.check("stored-is-whole/partial", has_range, "the whole response, without Range",
                 exchange);
    report.check("stored-is-whole/partial-from-cache", !is_from_cache(exchange.reply),
                 "a partial response is not stored", exchange);
  }
  if (kind == Kind::stream || kind == Kind::proxied) {
    report.check("stored-is-whole/stream-from-cache", !is_from_cache(exchange.reply),
                 "a stream is not stored", exchange);
  }
}

/// The message is accepted, and the guard of the route decides about the call.
void check_tool(const Application& app, const Exchange& exchange, Report& report) {
  const auto& [request, reply] = exchange;
  if (reply.status != 200 || request.method != "POST") return;
  report.check("private-stays-private/tool", lists(cache_control(reply), "no-store"),
               "Cache-Control: no-store", exchange);
  const fw::Json message = fw::Json::parse(reply.body, nullptr, false);
  const bool is_result = message.is_object() && message.contains("result");
  report.check("declared-is-enforced/tool", is_result, "a result of the call", exchange);
  if (!is_result) return;
  const fw::Json& status = message["result"]["_meta"]["status"];
  const bool is_denied = app.blueprint().requires_user && !request.client.has_token;
  report.check("declared-is-enforced/tool-guard", status == (is_denied ? 401 : 200),
               is_denied ? "the route denies the call" : "the route allows the call", exchange);
}

/// Whether `reply` may be stored by a cache that several users share, and used without asking the
/// application again (RFC 9111, sections 3 and 4).
bool is_stored_by_shared_cache(const Exchange& exchange) {
  const Reply& reply = exchange.reply;
  if (exchange.request.method != "GET" || reply.status == 206 || reply.status == 304) return false;
  const std::string control = cache_control(reply);
  if (lists(control, "no-store") || lists(control, "private") || lists(control, "no-cache")) {
    return false;
  }
  const auto shared_age = seconds_of(control, "s-maxage");
  const auto age = shared_age ? shared_age : seconds_of(control, "max-age");
  if (age.value_or(0) <= 0) return false;
  const bool is_authorized = field_of(exchange.request.fields, "authorization").has_value();
  return !is_authorized || is_public(reply) || lists(control, "must-revalidate");
}

/// Whether the stored response matches a later request (RFC 9111, section 4).
bool matches(const Exchange& stored, const Message& request) {
  const Message& first = stored.request;
  if (request.method != "GET" || request.target != first.target) return false;
  if (request.client.host != first.client.host) return false;
  if (field_of(request.fields, "range")) return false;
  bool is_match = true;
  fw::base::for_each_token(
      joined_field(stored.reply.fields, "vary"), ',', [&](std::string_view token) {
        const std::string name = fw::base::lower_case(fw::base::trim_ows(token));
        if (name.empty()) return;
        is_match = is_match && name != "*" &&
                   joined_field(first.fields, name) == joined_field(request.fields, name);
      });
  return is_match;
}

/// Fields without what differs from response to response by design: dates, ids, remaining times,
/// values of cookies.
std::map<std::string, std::string> comparable(const Fields& fields,
                                              const std::set<std::string_view>& ignored) {
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : fields) {
    if (ignored.contains(name) || name.starts_with("x-ratelimit") ||
        name.starts_with("ratelimit")) {
      continue;
    }
    std::string text = name == "set-cookie" ? value.substr(0, value.find('=')) : value;
    if (name == "cache-control" || name == "vary") {
      for (char& c : text) {
        if (c >= '0' && c <= '9') c = 'N';
      }
      while (text.find("NN") != std::string::npos) text.erase(text.find("NN"), 1);
    }
    if (name == "content-security-policy") {
      for (auto at = text.find("'nonce-"); at != std::string::npos; at = text.find("'nonce-")) {
        text.erase(at, text.find('\'', at + 1) + 1 - at);
      }
    }
    result[name] += (result[name].empty() ? "" : ", ") + text;
  }
  return result;
}

/// "etag: "x" became (none)" for the first difference; empty if there is none.
std::string difference(const std::map<std::string, std::string>& first,
                       const std::map<std::string, std::string>& second) {
  const auto value = [](const auto& fields, const std::string& name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string("(none)") : found->second;
  };
  std::set<std::string> names;
  for (const auto& [name, text] : first) names.insert(name);
  for (const auto& [name, text] : second) names.insert(name);
  for (const std::string& name : names) {
    if (value(first, name) != value(second, name)) {
      return fmt::format("'{}: {}' became '{}'", name, value(first, name), value(second, name));
    }
  }
  return {};
}

}  // namespace

const Canary* find_foreign_canary(const Application& app, const Message& request,
                                  const Reply& reply) {
  for (const Canary& canary : canaries()) {
    if (!is_own(request, canary) && contains(reply, canary.value)) return &canary;
  }
  static thread_local Canary secret;
  for (const auto& [user, value] : app.secrets()) {
    const bool is_theirs = request.client.has_cookies && request.client.user == user;
    if (is_theirs || !contains(reply, value)) continue;
    secret = {Dimension::session, value};
    return &secret;
  }
  return nullptr;
}

void check_response(Application& app, const Exchange& exchange, Report& report) {
  const auto& [request, reply] = exchange;
  report.count_request();
  if (!report.check("nothing-lost/response", reply.error.empty(), "a response", exchange)) return;
  const Kind kind = kind_of(request);
  if (request.expected.empty()) {
    report.check("nothing-lost/status", reply.status < 500, "a response below 500", exchange);
  } else {
    const bool is_expected =
        std::ranges::find(request.expected, reply.status) != request.expected.end();
    report.check("declared-is-enforced/status", is_expected,
                 fmt::format("status {}", fmt::join(request.expected, " or ")), exchange);
  }
  const Canary* foreign = find_foreign_canary(app, request, reply);
  const std::string_view broken = foreign ? leak_rule(foreign->dimension) : std::string_view();
  for (const std::string_view rule :
       {"private-stays-private/other-user", "host-is-input/other-host",
        "vary-covers-observed/other-header", "route-owns-its-keys/other-route",
        "secrets-stay/in-response"}) {
    const bool is_broken = Report::invariant_of(rule) == Report::invariant_of(broken);
    report.check(
        is_broken ? broken : rule, !is_broken,
        [&] { return "nothing of another client or route, but there is " + foreign->value; },
        [&] { return describe(exchange); });
  }
  if (kind == Kind::proxied) {
    report.check("declared-is-enforced/connection-field", !contains(reply, kHop),
                 "a field that Connection names is not forwarded", exchange);
  }
  const bool has_cookie = field_of(reply.fields, "set-cookie").has_value();
  report.check("no-cookie-in-public/set-cookie", !has_cookie || !is_public(reply),
               "no `public` and no `s-maxage` beside Set-Cookie", exchange);
  const bool ignores_users = kind == Kind::static_page || kind == Kind::revalidated_page ||
                             kind == Kind::file || request.target.starts_with("/search") ||
                             request.target.starts_with("/constant");
  // Who reads a cookie or an address, and says that the response is for everybody, may be right.
  const bool is_said = app.blueprint().sets_freshness && !app.blueprint().has("auth") &&
                       !app.blueprint().has("session") && !app.blueprint().cache;
  if (app.blueprint().is_personal && !is_said && !ignores_users && !is_error(reply)) {
    report.check("private-stays-private/public", !is_public(reply),
                 "a response that depends on who asks is not public", exchange);
  }
  if (is_error(reply)) check_error(exchange, report);
  check_vary(exchange, report);
  check_last_step(exchange, report);
  if (kind == Kind::tool) check_tool(app, exchange, report);
  check_completeness(exchange, kind, report);
  report.check("one-line-one-id/response", field_of(reply.fields, "x-request-id") == request.id,
               "the response has the id of its request", exchange);
}

void check_shared_cache(Application& app, const Transcript& transcript, Report& report) {
  // Where no cache completes `Vary`, what a handler says of its own response may be wrong.
  const auto may_be_wrong = [&](const Message& request) {
    const bool is_cached = app.blueprint().cache && kind_of(request) != Kind::events;
    return app.blueprint().sets_freshness && !is_cached;
  };
  for (std::size_t i = 0; i < transcript.size(); ++i) {
    const Exchange& stored = transcript[i];
    if (may_be_wrong(stored.request)) continue;
    if (!stored.reply.error.empty() || !is_stored_by_shared_cache(stored)) continue;
    for (std::size_t j = i + 1; j < transcript.size(); ++j) {
      const Exchange& later = transcript[j];
      if (!matches(stored, later.request)) continue;
      const Canary* foreign = find_foreign_canary(app, later.request, stored.reply);
      const auto show = [&] { return describe(stored) + "    and then\n" + describe(later); };
      report.check(
          foreign ? shared_leak_rule(foreign->dimension) : "private-stays-private/shared-cache",
          foreign == nullptr,
          [&] {
            return "a shared cache must not send the first response to the second request: it "
                   "contains " +
                   foreign->value;
          },
          show);
      const bool is_guarded = later.reply.status == 401 || later.reply.status == 403;
      report.check(
          "private-stays-private/guard", !is_guarded || is_error(stored.reply),
          [] { return "a shared cache must not send what the guard denies"; }, show);
    }
  }
}

void check_log(Application& app, const Transcript& transcript, Report& report) {
  std::map<std::string, std::vector<LineLog::Line>> lines;
  for (LineLog::Line& line : app.log().take()) {
    const std::string text = line.message + line.fields;
    const auto is_secret = [&](std::string_view value) {
      return text.find(value) != std::string::npos;
    };
    const auto find_secret = [&]() -> std::string {
      constexpr std::span<const std::string_view> kSecrets[] = {kTokens, kVisitors, kWords,
                                                                kQueries};
      for (const auto& values : kSecrets) {
        for (const std::string_view value : values) {
          if (is_secret(value)) return std::string(value);
        }
      }
      for (const auto& [user, value] : app.secrets()) {
        if (is_secret(value)) return value;
      }
      return {};
    };
    const std::string secret = find_secret();
    report.check(
        "secrets-stay/in-log", secret.empty(), [&] { return "no " + secret + " in the log"; },
        [&] { return "    " + line.message + " " + line.fields + "\n"; });
    // The route of a tool has a line of its own, with the id of the message.
    const bool is_of_tool = text.find(kToolRoute) != std::string::npos;
    if (line.status > 0 && !is_of_tool) lines[line.request_id].push_back(std::move(line));
  }
  for (const Exchange& exchange : transcript) {
    if (!exchange.reply.error.empty()) continue;
    const auto& own = lines[exchange.request.id];
    const auto show = [&] {
      std::string text = describe(exchange);
      for (const auto& line : own) text += "    log: " + line.message + " " + line.fields + "\n";
      return text;
    };
    report.check(
        "one-line-one-id/line", own.size() == 1,
        [&] { return fmt::format("one line, not {}", own.size()); }, show);
    if (own.size() != 1) continue;
    report.check(
        "one-line-one-id/status", own[0].status == exchange.reply.status,
        [&] { return fmt::format("the line says {}", exchange.reply.status); }, show);
  }
}

void check_head(const Exchange& get, const Exchange& head, bool may_omit_length, Report& report) {
  report.check("head-is-get/status", get.reply.status == head.reply.status, "the status of GET",
               get, head);
  report.check("head-is-get/body", head.reply.body.empty(), "no body", head);
  if (get.reply.status != head.reply.status) return;
  std::set<std::string_view> ignored = {"date", "x-request-id", "transfer-encoding"};
  if (may_omit_length && joined_field(head.reply.fields, "content-length").empty())
    ignored.insert("content-length");
  const std::string differs =
      difference(comparable(get.reply.fields, ignored), comparable(head.reply.fields, ignored));
  report.check(
      "head-is-get/fields", differs.empty(), [&] { return "the fields of GET: " + differs; },
      [&] { return describe(get) + "    and\n" + describe(head); });
}

void check_not_modified(const Exchange& whole, const Exchange& conditional, Report& report) {
  if (conditional.reply.status != 304) return;
  report.check("head-is-get/304-body", conditional.reply.body.empty(), "no body", conditional);
  for (const char* name : {"cache-control", "content-location", "etag", "expires", "vary"}) {
    const auto pick = [&](const Exchange& exchange) {
      Fields fields;
      for (const auto& field : exchange.reply.fields) {
        if (field.first == name) fields.push_back(field);
      }
      return comparable(fields, {});
    };
    const std::string differs = difference(pick(whole), pick(conditional));
    report.check(
        "head-is-get/304-fields", differs.empty(),
        [&] { return "the 304 has the fields of the 200 (RFC 9110, 15.4.5): " + differs; },
        [&] { return describe(whole) + "    and\n" + describe(conditional); });
  }
}

void check_same(const Exchange& first, const Exchange& second, std::string_view rule,
                Report& report) {
  const std::set<std::string_view> ignored = {
      "date", "connection", "keep-alive", "transfer-encoding", "content-length", "x-request-id"};
  std::string differs;
  if (first.reply.error.empty() != second.reply.error.empty()) {
    differs = "one of them is missing";
  } else if (first.reply.status != second.reply.status) {
    differs = fmt::format("{} became {}", first.reply.status, second.reply.status);
  } else {
    differs = difference(comparable(first.reply.fields, ignored),
                         comparable(second.reply.fields, ignored));
    if (differs.empty() && first.reply.body.size() != second.reply.body.size()) {
      differs = "the bodies have different sizes";
    }
  }
  report.check(
      rule, differs.empty(),
      [&] { return "the same response from TestApp and over a connection: " + differs; },
      [&] { return describe(first) + "    and\n" + describe(second); });
}

}  // namespace pairs
