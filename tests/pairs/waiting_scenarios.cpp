// Requests that wait for others, and whose clients leave.
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "checks.hpp"
#include "http/loopback.hpp"
#include "scenario_support.hpp"
#include "scenarios.hpp"
#include "server_connections.hpp"

namespace pairs {
namespace {

constexpr int kFollowers = 4;

/// The head of a request, without the empty line at its end.
std::string head_of(const Message& message, std::string_view version = "1.1") {
  std::string bytes =
      message.method + " " + message.target + " HTTP/" + std::string(version) + "\r\n";
  for (const auto& [name, value] : message.fields) bytes += name + ": " + value + "\r\n";
  return bytes;
}

/// The same request with another head: with another field for the same language.
Message with_spelling(Message message, int number) {
  for (auto& [name, value] : message.fields) {
    if (name == "accept-language") value += ";q=0." + std::to_string(100 + number);
  }
  return message;
}

std::string shown(const std::string& target, int runs) {
  return "    > GET " + target + " by " + std::to_string(1 + kFollowers) +
         " clients at a time\n    < the handler ran " + std::to_string(runs) + " times\n";
}

}  // namespace

void followers_time_out(Application& app, Report& report) {
  if (!app.blueprint().is_storable()) return;
  HandlerState& state = app.state();
  app.app().cache().clear();
  state.gate.close();
  state.gated_runs = 0;
  const Client client = reader(app.blueprint());
  std::vector<Message> messages;
  for (int i = 0; i <= kFollowers; ++i) {
    messages.push_back(app.message(client, "GET", "/gated-timeout"));
  }
  std::vector<std::thread> threads;
  threads.emplace_back([&] { app.send(messages[0]); });
  eventually([&] { return state.gated_runs == 1; });
  std::atomic<int> finished = 0;
  for (int i = 1; i <= kFollowers; ++i) {
    threads.emplace_back([&, i] {
      app.send(messages[static_cast<std::size_t>(i)]);
      ++finished;
    });
  }
  // Their time passes while the handler of the first one still runs.
  const bool have_ended =
      eventually([&] { return finished == kFollowers || state.gated_runs > 1; });
  const int runs = state.gated_runs;
  state.gate.open();
  for (std::thread& thread : threads) thread.join();
  report.check(
      "gone-means-stop/time-out", runs == 1,
      [] { return "one run: those whose time is over get 504 and run nothing"; },
      [&] { return shown("/gated-timeout", runs); });
  report.check(
      "waits-end/time-out", have_ended, [] { return "a wait ends with the request's time"; },
      [&] { return shown("/gated-timeout", runs); });
  state.gate.close();
}

void followers_disconnect(Application& app, Report& report) {
  std::vector<std::string> targets;
  if (app.blueprint().is_storable()) targets.push_back("/gated");
  if (has_kind(app, Kind::revalidated_page)) targets.push_back("/gated-page");
  for (const std::string& target : targets) {
    HandlerState& state = app.state();
    app.app().cache().clear();
    state.gate.close();
    state.gated_runs = state.entered = state.left = 0;
    const Client client = reader(app.blueprint());
    // Those with the leader's head wait before the middleware, without a thread; others on threads.
    const auto head = [&](int number) {
      const Message message = app.message(client, "GET", target);
      return head_of(number % 2 == 0 ? message : with_spelling(message, number)) + "\r\n";
    };
    fw::http::test::Client leader(app.app().port());
    leader.send(head(0));
    eventually([&] { return state.gated_runs == 1; });
    std::vector<fw::http::test::Client> followers;
    for (int i = 0; i < kFollowers; ++i) {
      followers.emplace_back(app.app().port()).send(head(i));
    }
    const std::uint16_t port = app.app().port();
    eventually([&] {
      const ServerConnections connections(port);
      return connections.open > kFollowers && connections.unread == 0;
    });
    for (auto& follower : followers) follower.close();
    // The server closes its side of a connection when the request has ended.
    const bool have_ended = eventually([&] {
      return state.gated_runs > 1 ||
             (ServerConnections(port).left == 0 && state.left == state.entered - 1);
    });
    const int runs = state.gated_runs;
    state.gate.open();
    const auto response = leader.read_response();
    report.check(
        "gone-means-stop/disconnect", runs == 1,
        [] { return "one run: those who have left run nothing"; },
        [&] { return shown(target, runs); });
    report.check(
        "waits-end/disconnect", have_ended, [] { return "a wait ends when the client leaves"; },
        [&] { return shown(target, runs); });
    report.check(
        "nothing-lost/leader", response.status == 200,
        [] { return "the client who stayed gets its response"; },
        [&] { return "    < " + std::to_string(response.status) + "\n"; });
    state.gate.close();
  }
}

// How many of the pipelined requests of a client come before the request of another one, which
// needs the same thread; nothing if a rate limit rejects that one.
std::optional<int> requests_before_another(const Plan& plan, int pipelined_requests) {
  Plan networked = plan;
  networked.way = Way::http1;
  // Both clients need the only thread.
  networked.adjust = [](Blueprint& blueprint) {
    blueprint.config.server.min_workers = blueprint.config.server.max_workers = 1;
  };
  Application app(networked);
  HandlerState& state = app.state();
  const Client client = reader(app.blueprint());
  const auto head = [&](const std::string& target) {
    return head_of(app.message(client, "GET", target)) + "\r\n";
  };
  fw::http::test::Client other(app.app().port());
  other.send(head("/entered"));
  if (other.read_response().status != 200) return {};
  fw::http::test::Client flooding(app.app().port());
  std::string pipelined = head("/gated");
  for (int i = 0; i < pipelined_requests; ++i) pipelined += head("/watched");
  std::thread sending([&] { flooding.send(pipelined); });
  eventually([&] { return state.gated_runs == 1; });
  other.send(head("/entered"));
  state.gate.open();
  const auto response = other.read_response();
  sending.join();
  if (response.status != 200) return {};
  return fw::Json::parse(response.body).at("data").get<int>();
}

void pipelined_requests(const Plan& plan, Report& report) {
  constexpr int kPipelined = 200;
  constexpr int kMaxBefore = 64;
  // On a busy machine, the server may not know of the other client's request yet when a turn ends.
  constexpr int kAttempts = 5;
  int before = kPipelined;
  for (int i = 0; i < kAttempts && before > kMaxBefore; ++i) {
    const auto found = requests_before_another(plan, kPipelined);
    if (!found) return;
    before = *found;
  }
  report.check(
      "bounded-turn/pipelining", before <= kMaxBefore,
      [] { return "the only thread leaves a client that pipelines 200 requests for another one"; },
      [&] { return "    " + std::to_string(before) + " requests came before the other one\n"; });
}

void crowded_run(const Plan& plan, Report& report) {
  constexpr int kThreads = 8;
  constexpr int kSpellings = 4 * kThreads;
  Plan networked = plan;
  networked.way = Way::http1;
  networked.adjust = [](Blueprint& blueprint) {
    blueprint.config.server.min_workers = blueprint.config.server.max_workers = kThreads;
  };
  Application app(networked);
  if (!app.blueprint().is_storable()) return;
  HandlerState& state = app.state();
  const auto send = [&](const std::string& target, int spelling) {
    const Message message = app.message(reader(app.blueprint()), "GET", target);
    auto client = std::make_unique<fw::http::test::Client>(app.app().port());
    client->send(head_of(with_spelling(message, spelling)) + "\r\n");
    return client;
  };
  std::vector<std::unique_ptr<fw::http::test::Client>> crowd;
  crowd.push_back(send("/gated", 0));
  const auto beside_leader = send("/gated-beside", 0);
  if (!eventually([&] { return state.gated_runs == 2; })) return;
  for (int i = 1; i <= kSpellings; ++i) crowd.push_back(send("/gated", i));
  eventually([&] { return state.entered == 2 + kSpellings; });
  const auto beside = send("/gated-beside", 1);
  eventually([&] { return state.entered == 3 + kSpellings; });
  // Until it waits, or has its response.
  for (int i = 0; i < 20; ++i) {
    fw::http::test::Client(app.app().port())
        .exchange(head_of(app.message({}, "GET", "/entered")) + "\r\n");
  }
  state.gate.open();
  const int status = beside->read_response().status;
  report.check(
      "blast-radius/crowded-run", status == 200,
      [] { return "many requests for one response leave room for waits at another route"; },
      [&] { return "    > GET /gated-beside\n    < " + std::to_string(status) + "\n"; });
  int others = 0;
  for (const auto& client : crowd) {
    const auto response = client->read_response();
    const bool is_rejection = response.status == 503 && response.field("retry-after") == "1";
    if (response.status != 200 && !is_rejection) others = response.status;
  }
  report.check(
      "nothing-lost/crowded-run", others == 0 && state.gated_runs == 2,
      [] { return "the response of one run, or 503 with Retry-After"; },
      [&] { return shown("/gated", state.gated_runs) + "    < " + std::to_string(others) + "\n"; });
}

void held_bodies(const Plan& plan, Report& report) {
  constexpr int kBodies = 4;
  Plan networked = plan;
  networked.way = Way::http1;
  // Workers that wait for an upstream are not replaced, as those that wait for a response are.
  networked.adjust = [](Blueprint& blueprint) {
    blueprint.config.server.min_workers = 2;
    blueprint.config.server.max_workers = 2 * kBodies;
  };
  Application app(networked);
  if (!has_kind(app, Kind::proxied)) return;
  const std::atomic<int>& held = *get_surroundings().held;
  const std::uint16_t port = app.app().port();
  std::vector<fw::http::test::Client> clients;
  for (int i = 0; i < kBodies; ++i) {
    clients.emplace_back(port).send(
        head_of(app.message(reader(app.blueprint()), Kind::proxied, "?held=1")) + "\r\n");
  }
  const bool are_held = eventually([&] { return held == kBodies; });
  const auto other = app.send(app.message({}, "GET", "/entered"));
  report.check("blast-radius/held-body", are_held && other.reply.status == 200,
               "other requests while an upstream holds bodies open", other);
  for (auto& client : clients) client.close();
  const bool have_ended =
      eventually([&] { return held == 0 && ServerConnections(port).left == 0; });
  report.check(
      "gone-means-stop/held-body", have_ended,
      [] { return "nothing waits for the upstream of a client who has left"; },
      [&] { return "    " + std::to_string(held) + " bodies are still held open\n"; });
}

void other_version(Application& app, Report& report) {
  if (!app.blueprint().has("version")) return;
  app.state().gate.open();
  const Client client = reader(app.blueprint());
  for (const std::string version : {"1.1", "1.0", "1.1"}) {
    const Message message = app.message(client, "GET", "/gated");
    fw::http::test::Client connection(app.app().port());
    const auto response = connection.exchange(head_of(message, version) + "\r\n");
    if (response.status != 200) continue;
    report.check(
        "vary-covers-observed/other-version",
        response.body.find(std::string(kProtocol) + version) != std::string::npos,
        [] { return "no response to a request with another version of HTTP"; },
        [&] { return "    > GET /gated HTTP/" + version + "\n    < " + response.body + "\n"; });
  }
  app.state().gate.close();
}

namespace {

/// Returns false if the request of the first process ended before its handler began.
bool other_process_waits(const Plan& plan, Report& report) {
  const auto store = std::make_shared<WatchedStore>(fw::memory_store(), true);
  Plan shared = plan;
  shared.store = store;
  Application first(shared);
  Application second(shared);
  if (!first.blueprint().is_storable()) return true;
  const Client client = reader(first.blueprint());
  first.state().gate.close();
  std::atomic<bool> has_left = false;
  std::thread leader([&] {
    first.send(first.message(client, "GET", "/gated-timeout"));
    has_left = true;
  });
  eventually([&] { return first.state().gated_runs == 1 || has_left; });
  if (first.state().gated_runs == 0) {
    first.state().gate.open();
    leader.join();
    return false;
  }
  std::atomic<bool> is_over = false;
  Exchange exchange;
  std::thread other([&] {
    exchange = second.send(second.message(client, "GET", "/gated-timeout"));
    is_over = true;
  });
  const bool has_ended = eventually([&] { return is_over || second.state().gated_runs > 0; });
  const int runs = second.state().gated_runs;
  first.state().gate.open();
  second.state().gate.open();
  leader.join();
  other.join();
  report.check("gone-means-stop/other-process", runs == 0,
               "504, and no handler, while the handler of another process runs", exchange);
  report.check("waits-end/other-process", has_ended, "a wait ends with the request's time",
               exchange);
  return true;
}

}  // namespace

void other_process(const Plan& plan, Report& report) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (other_process_waits(plan, report)) return;
  }
  report.check(
      "waits-end/other-process", false,
      [] { return "a handler that begins within the request's time"; }, [] { return ""; });
}

void destroyed_session(Application& app, Report& report) {
  if (!app.blueprint().config.session.enabled) return;
  HandlerState& state = app.state();
  app.sign_in();
  const Client user{.name = "user", .user = 0, .has_cookies = true};
  const Message rotate = app.message(user, "GET", "/rotate");
  Message logout = app.message(user, "POST", "/logout");
  logout.client.has_cookies = false;  // its response does not change the jar
  state.gate.close();
  state.gated_runs = 0;
  Exchange rotated;
  std::thread thread([&] { rotated = app.send(rotate); });
  const bool has_begun = eventually([&] { return state.gated_runs == 1; });
  const Exchange signed_out = app.send(logout);
  state.gate.open();
  thread.join();
  if (!has_begun || signed_out.reply.status != 200) return;
  const Exchange who = app.send(app.message(user, "GET", "/who"));
  report.check("read-after-write/destroyed-session",
               who.reply.body.find(kUsers[0]) == std::string::npos,
               "nobody: the session was destroyed before its id changed", rotated, who);
  state.gate.close();
  app.sign_in();
}

}  // namespace pairs
