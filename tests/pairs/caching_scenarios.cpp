// Keys, invalidations and failing stores.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "checks.hpp"
#include "scenario_support.hpp"
#include "scenarios.hpp"

namespace pairs {
namespace {

/// The version of the data in a response; 0 if there is none.
int version_of(const Reply& reply) {
  const std::size_t begin = reply.body.find("version");
  if (begin == std::string::npos) return 0;
  const std::size_t digits = reply.body.find_first_of("0123456789", begin);
  return digits == std::string::npos ? 0 : std::stoi(reply.body.substr(digits, 9));
}

std::vector<Kind> kinds_with_data(const Blueprint& blueprint) {
  std::vector<Kind> kinds;
  for (const Kind kind : blueprint.kinds) {
    const bool has_version =
        kind == Kind::json || kind == Kind::page || kind == Kind::stream || kind == Kind::partial;
    if (has_version) kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace

void imitate_keys(Application& app, Report& report) {
  if (!app.blueprint().has("custom-key")) return;
  const auto get = [&](const Client& client, const std::string& target) {
    const Exchange exchange = app.send(app.message(client, "GET", target));
    check_response(app, exchange, report);
    return exchange;
  };
  for (const Kind kind : app.blueprint().kinds) {
    if (has_body(kind) || kind == Kind::slow || kind == Kind::file) continue;
    const std::string path = path_of(kind);
    get(reader(app.blueprint()), path);
    get(reader(app.blueprint()), path);
    get({}, "/search?key=GET%20" + path);
    get({}, "/search?key=page%20" + path);
  }
  get({}, "/constant-first");
  get({}, "/constant-second");
}

void sent_errors(Application& app, Report& report) {
  if (!app.blueprint().cache || !has_kind(app, Kind::error)) return;
  for (const int status : {404, 410, 500}) {
    const int runs = app.state().runs;
    Exchange last;
    for (int i = 0; i < 2; ++i) {
      Message message = app.message(reader(app.blueprint()), Kind::error,
                                    "?sent=1&status=" + std::to_string(status));
      message.expected = {status};
      last = app.send(std::move(message));
      check_response(app, last, report);
    }
    report.check("stored-is-whole/error-stored", app.state().runs == runs + 2,
                 "the handler runs again, because an error is not stored", last);
  }
}

void shared_errors(Application& app, Report& report) {
  if (!app.blueprint().is_storable() || !has_kind(app, Kind::error)) return;
  HandlerState& state = app.state();
  const Client client = reader(app.blueprint());
  app.app().cache().clear();
  state.gate.close();
  state.gated_runs = state.entered = 0;
  state.gated_status = 404;
  Exchange first;
  Exchange second;
  const Message follower = app.message(client, "GET", "/gated");
  std::thread leader([&] { first = app.send(app.message(client, "GET", "/gated")); });
  eventually([&] { return state.gated_runs == 1; });
  std::thread waiting([&] { second = app.send(follower); });
  eventually([&] { return state.entered == 2; });
  // It waits for the first one by then. If it does not, it runs the handler, which is right.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  state.gate.open();
  leader.join();
  waiting.join();
  report.check("stored-is-whole/error-shared", state.gated_runs == 2,
               "the handler runs again, because an error is not sent to those who wait", first,
               second);
  state.gated_status = 200;
  state.gate.close();
}

void unobserved_part(Application& app, Report& report) {
  if (!app.blueprint().cache || !has_kind(app, Kind::partial)) return;
  const Client client = reader(app.blueprint());
  app.app().cache().clear();
  app.state().sends_parts = true;
  Message part = app.message(client, Kind::partial);
  part.fields.emplace_back("range", "items=0-1");
  check_response(app, app.send(std::move(part)), report);
  app.state().sends_parts = false;
  check_response(app, app.send(app.message(client, Kind::partial)), report);
}

void read_after_invalidation(Application& app, Report& report) {
  if (!app.blueprint().cache) return;
  for (const Kind kind : kinds_with_data(app.blueprint())) {
    const Client client = reader(app.blueprint());
    app.send(app.message(client, kind));
    app.send(app.message(client, kind));
    const Exchange update = app.update();
    const int version = app.state().version;
    report.check("read-after-write/update", update.reply.status == 200, "the update succeeds",
                 update);
    const Exchange after = app.send(app.message(client, kind));
    report.check("read-after-write/entry", version_of(after.reply) == version,
                 "the data from after the invalidation: version " + std::to_string(version), update,
                 after);
    if (!app.blueprint().has("stale")) continue;
    // A stale response may be sent while the handler runs, but not for ever.
    ++app.state().version;
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    Exchange last = app.send(app.message(client, kind));
    const bool is_renewed = eventually([&] {
      last = app.send(app.message(client, kind));
      return version_of(last.reply) == app.state().version;
    });
    report.check("waits-end/stale", is_renewed, "a stale response is renewed", last);
  }
}

void read_after_invalidation_while_running(Application& app, Report& report) {
  if (!app.blueprint().is_storable()) return;
  HandlerState& state = app.state();
  const Client client = reader(app.blueprint());
  state.gate.close();
  state.gated_runs = state.entered = 0;
  Exchange first;
  std::thread leader([&] { first = app.send(app.message(client, "GET", "/gated")); });
  eventually([&] { return state.gated_runs == 1; });
  const Message follower = app.message(client, "GET", "/gated");
  const Exchange update = app.update();
  const int version = state.version;
  Exchange second;
  std::thread reading([&] { second = app.send(follower); });
  // It either waits for the first one, which is wrong, or runs the handler itself. More time only
  // makes it more likely that the wrong one is detected.
  eventually([&] { return state.entered == 2; });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  state.gate.open();
  leader.join();
  reading.join();
  report.check("read-after-write/follower", version_of(second.reply) == version,
               "the data from after the invalidation: version " + std::to_string(version), update,
               second);
  // Without a second one, whose response would replace the first one.
  app.app().cache().clear();
  state.gate.close();
  state.gated_runs = 0;
  std::thread late([&] { first = app.send(app.message(client, "GET", "/gated")); });
  eventually([&] { return state.gated_runs == 1; });
  const Exchange later_update = app.update();
  const int later_version = state.version;
  state.gate.open();
  late.join();
  const Exchange third = app.send(app.message(client, "GET", "/gated"));
  report.check("read-after-write/stored-late", version_of(third.reply) == later_version,
               "the response of the earlier handler is not stored", later_update, third);
  state.gate.close();
}

void unrelated_invalidation(Application& app, Report& report) {
  if (!app.blueprint().is_storable()) return;
  HandlerState& state = app.state();
  const Client client = reader(app.blueprint());
  app.app().cache().clear();
  state.gate.close();
  state.gated_runs = 0;
  std::thread leader([&] { app.send(app.message(client, "GET", "/gated")); });
  eventually([&] { return state.gated_runs == 1; });
  app.app().cache().invalidate("unrelated");
  state.gate.open();
  leader.join();
  const Exchange second = app.send(app.message(client, "GET", "/gated"));
  report.check("read-after-write/unrelated-tag", field_of(second.reply.fields, "x-cache") == "HIT",
               "X-Cache: HIT, although another tag was invalidated while the handler ran", second);
  state.gate.close();
}

void failing_store(Application& app, Report& report) {
  const Blueprint& blueprint = app.blueprint();
  const bool uses_store = blueprint.cache || blueprint.config.session.enabled;
  if (!uses_store) return;
  constexpr int kMaxCalls = 16;
  for (const Kind kind : kinds_with_data(blueprint)) {
    for (int call = 1; call <= kMaxCalls; ++call) {
      const Client client = reader(blueprint);
      const auto get = [&](Client by) {
        Exchange exchange = app.send(app.message(by, kind));
        exchange.request.expected = {exchange.reply.status};
        check_response(app, exchange, report);
        const bool may_fail = blueprint.config.session.enabled;
        report.check("blast-radius/store",
                     exchange.reply.error.empty() && (exchange.reply.status < 500 ||
                                                      (may_fail && exchange.reply.status == 503)),
                     "a failing store affects only requests that need it, with 503", exchange);
        return exchange;
      };
      app.store().fail_at(0);
      app.app().cache().clear();
      app.store().fail_at(call);
      get(client);
      get({.name = "user", .user = 1, .has_token = true, .has_cookies = true});
      get(client);
      app.store().fail_at(0);
      const bool was_reached = app.store().has_failed();
      const Exchange update = app.update();
      const Exchange after = get(client);
      if (update.reply.status == 200) {
        report.check("read-after-write/store-failed",
                     version_of(after.reply) == app.state().version,
                     "the data from after the invalidation, although the store had failed in its "
                     "call " +
                         std::to_string(call),
                     update, after);
      }
      // Now the invalidation itself meets the failure.
      app.store().fail_at(call);
      get(client);
      const Exchange second_update = app.update();
      app.store().fail_at(0);
      const Exchange last = get(client);
      if (second_update.reply.status == 200) {
        report.check("read-after-write/store-failed", version_of(last.reply) == app.state().version,
                     "the data from after the invalidation, although the store had failed in its "
                     "call " +
                         std::to_string(call),
                     second_update, last);
      }
      if (!was_reached && !app.store().has_failed()) break;
    }
  }
}

void random_queries(Application& app, Report& report) {
  constexpr int kRequests = 40;
  constexpr std::size_t kMaxKeys = 10;
  constexpr std::chrono::hours kMaxLife{24};
  const auto count_keys = [&](Kind kind, const char* rule) {
    const Client client = reader(app.blueprint());
    app.store().take_keys();
    Exchange last;
    for (int i = 0; i < kRequests; ++i) {
      last = app.send(app.message(client, kind, "?x=" + std::to_string(i)));
    }
    const std::size_t keys = app.store().take_keys().size();
    report.check(rule, keys <= kMaxKeys,
                 "at most " + std::to_string(kMaxKeys) + " keys after " +
                     std::to_string(kRequests) + " queries that the route does not declare, not " +
                     std::to_string(keys),
                 last);
  };
  if (has_kind(app, Kind::revalidated_page)) {
    count_keys(Kind::revalidated_page, "bounded-growth/keys-of-page");
  }
  if (app.blueprint().declares_query && has_kind(app, Kind::json)) {
    count_keys(Kind::json, "bounded-growth/keys-of-route");
  }
  const auto longest = app.store().longest();
  const auto ttl = longest.first;
  const std::string& key = longest.second;
  report.check(
      "bounded-growth/time-to-live", ttl <= kMaxLife,
      [&] {
        return "no key lives longer than a day, but '" + key + "' lives " +
               std::to_string(ttl.count() / 86'400'000) + " days";
      },
      [] { return std::string(); });
}

}  // namespace pairs
