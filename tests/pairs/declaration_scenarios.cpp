// What routes and configurations declare.
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "scenario_support.hpp"
#include "scenarios.hpp"

namespace pairs {
void missing_upload(Application& app, Report& report) {
  if (!has_kind(app, Kind::upload)) return;
  const std::vector<std::pair<std::string, std::string>> bodies = {
      {"", ""},
      {"application/json", "{}"},
      {"application/x-www-form-urlencoded", "avatar=picture"},
      {"text/plain", "picture"},
      {"image/png", "picture"},
      {"multipart/mixed; boundary=limit", "--limit--\r\n"},
      {"multipart/form-data; boundary=limit", "--limit--\r\n"},
      {"multipart/form-data; boundary=limit",
       "--limit\r\nContent-Disposition: form-data; "
       "name=\"avatar\"\r\n\r\npicture\r\n--limit--\r\n"},
      {"multipart/form-data; boundary=limit",
       "--limit\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a.png\"\r\n\r\n"
       "picture\r\n--limit--\r\n"},
  };
  const Client client = known_user();
  for (const auto& [type, body] : bodies) {
    Message message = app.message(client, Kind::upload);
    std::erase_if(message.fields, [](const auto& field) { return field.first == "content-type"; });
    if (!type.empty()) message.fields.emplace_back("content-type", type);
    message.body = body;
    const int runs = app.state().runs;
    const Exchange exchange = app.send(std::move(message));
    const bool is_rejected = exchange.reply.status >= 400 && exchange.reply.status < 500;
    report.check("declared-is-enforced/required-upload", is_rejected && app.state().runs == runs,
                 "400 or 415, and no handler, without the required file", exchange);
  }
}

void exceed_rate_limit(Application& app, Report& report) {
  if (!app.blueprint().has("rate-limit")) return;
  const int max = app.blueprint().config.rate_limit.max;
  Exchange last;
  for (int i = 0; i <= max; ++i) last = app.send(app.message({}, app.blueprint().kinds.front()));
  last.request.expected = {429};
  report.check("declared-is-enforced/rate-limit", last.reply.status == 429,
               "429 above the limit, also for responses from the cache", last);
  check_response(app, last, report);
}

void long_limit_keys(Application& app, Report& report) {
  constexpr std::size_t kMaxBytes = 128;
  if (!app.blueprint().has("rate-key")) return;
  const std::string key = app.store().longest_counted();
  report.check(
      "bounded-growth/limit-key", !key.empty() && key.size() <= kMaxBytes,
      [] { return "a key of a rate limit has at most 128 bytes, whatever a client sends"; },
      [&] { return "    " + std::to_string(key.size()) + " bytes\n"; });
  report.check(
      "secrets-stay/in-key", key.find(kTenants[0]) == key.npos && key.find(kTenants[1]) == key.npos,
      [] { return "no value of a client in a key of a rate limit"; },
      [&] { return "    " + key + "\n"; });
}

void forwarded_query(Application& app, Report& report) {
  if (!has_kind(app, Kind::proxied)) return;
  const std::string query = "tag=1&tag=2&flag&empty=";
  const Exchange exchange = app.send(app.message(known_user(), Kind::proxied, "?" + query));
  report.check("nothing-lost/query", exchange.reply.body.find("?" + query) != std::string::npos,
               "the upstream gets the bytes of the query", exchange);
}

namespace {

/// Whether the application does not start; otherwise calls `use` with it.
template <class Use>
bool is_rejected(const Plan& plan, const Use& use) {
  try {
    Application app(plan);
    use(app);
    return false;
  } catch (const fw::StartupError&) {
    return true;
  }
}

bool warns_of(Application& app, std::string_view word) {
  for (const LineLog::Line& line : app.log().take()) {
    if (line.message.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

void check_options(const Plan& plan, Report& report) {
  Plan csrf = plan;
  csrf.adjust = [](Blueprint& app) {
    app.config.csrf.enabled = true;
    app.config.csrf.secret = std::string(40, 's');
    app.config.csrf.methods = {"post"};
    if (std::ranges::find(app.kinds, Kind::post) == app.kinds.end()) {
      app.kinds.push_back(Kind::post);
    }
  };
  Exchange exchange;
  const auto post = [&](Application& app) {
    Message message = app.message({.name = "user", .user = 0, .has_token = true}, Kind::post);
    exchange = app.send(std::move(message));
  };
  const bool is_checked = is_rejected(csrf, post) || exchange.reply.status == 403;
  report.check("accepted-has-effect/csrf-methods", is_checked,
               "403 without a token, or an error at startup, for csrf.methods = {\"post\"}",
               exchange);

  Plan limit = plan;
  bool is_reported = false;
  limit.adjust = [](Blueprint& app) {
    app.options.override_.rate_limit = fw::RateLimitOptions{.max = 2};
  };
  const auto exceed = [&](Application& app) {
    is_reported = warns_of(app, "rate");
    for (int i = 0; i < 3; ++i) {
      exchange = app.send(app.message({.name = "user", .user = 0, .has_token = true}, Kind::json));
    }
  };
  const bool is_limited = is_rejected(limit, exceed) || is_reported || exchange.reply.status == 429;
  report.check("accepted-has-effect/route-rate-limit", is_limited,
               "429 for the third request, or a warning at startup, for a route with a limit of 2",
               exchange);
}

}  // namespace pairs
