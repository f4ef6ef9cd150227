// Sessions without requests and responses.
#include "features/session/session_state.hpp"

#include <fairway/config.hpp>
#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "features/session/session_policy.hpp"

namespace session_state_test {

using fw::Json;
using fw::detail::SessionPolicy;
using fw::detail::SessionState;
using Change = SessionState::CookieChange;

namespace {

/// A client with a cookie, whose requests follow each other.
class Client {
 public:
  /// What a handler does with the session; returns what the response does with the cookie.
  template <class Handler>
  Change request(Handler handler) {
    SessionState state(policy_, [this] { return cookie_; }, nullptr);
    handler(state);
    state.finish();
    const Change change = state.take_cookie_change();
    if (change == Change::set) cookie_ = state.get().id();
    if (change == Change::cleared) cookie_.reset();
    return change;
  }
  /// The same for a handler that sends another request to the application: `inner` handles it.
  template <class Outer, class Inner>
  std::pair<Change, Change> request(Outer outer, const SessionPolicy& inner_policy, Inner inner) {
    Change inner_change = Change::none;
    const Change change = request([&](SessionState& state) {
      outer(state);
      SessionState own(state, inner_policy);
      inner(own);
      own.finish();
      inner_change = own.take_cookie_change();
    });
    return {inner_change, change};
  }
  /// The policy of routes with these options.
  SessionPolicy policy(bool rolling, bool auto_commit = true) {
    return {.store = *store_, .config = config_, .rolling = rolling, .auto_commit = auto_commit};
  }
  void wait(std::chrono::seconds time) { *now_ += time; }
  const std::optional<std::string>& cookie() const { return cookie_; }
  void set_cookie(std::optional<std::string> cookie) { cookie_ = std::move(cookie); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  std::shared_ptr<Time> now_ = std::make_shared<Time>();
  std::shared_ptr<fw::Store> store_ = fw::memory_store({.clock = [now = now_] { return *now; }});
  fw::SessionConfig config_;
  SessionPolicy policy_{.store = *store_, .config = config_, .rolling = false, .auto_commit = true};
  std::optional<std::string> cookie_;
};

}  // namespace

TEST_CASE("session state: a session that is not used is neither loaded nor sent") {
  Client client;
  CHECK(client.request([](SessionState& state) {
    CHECK_FALSE(state.is_loaded());
    CHECK_FALSE(state.changes_response());
  }) == Change::none);
  CHECK_FALSE(client.cookie());
}

TEST_CASE("session state: values are kept between requests of a cookie") {
  Client client;
  CHECK(client.request([](SessionState& state) {
    state.get().set("user", "ada");
    CHECK(state.is_loaded());
    CHECK(state.changes_response());
  }) == Change::set);
  CHECK(client.request([](SessionState& state) {
    CHECK(state.get().get<std::string>("user") == "ada");
    CHECK_FALSE(state.changes_response());
  }) == Change::none);
}

TEST_CASE("session state: a new id leaves nothing under the old one") {
  Client client;
  client.request([](SessionState& state) { state.get().set("user", "ada"); });
  const auto old = client.cookie();
  CHECK(client.request([](SessionState& state) { state.get().regenerate(); }) == Change::set);
  const auto renewed = client.cookie();
  CHECK(renewed != old);
  client.set_cookie(old);
  client.request([](SessionState& state) { CHECK(state.get().is_new()); });
  client.set_cookie(renewed);
  CHECK(client.request([](SessionState& state) {
    CHECK(state.get().get<std::string>("user") == "ada");
    state.get().destroy();
  }) == Change::cleared);
  CHECK_FALSE(client.cookie());
}

TEST_CASE("session state: a session that another request has ended is not sent after a save") {
  Client client;
  client.request([](SessionState& state) { state.get().set("user", "ada"); });
  CHECK(client.request([&](SessionState& state) {
    state.get().set("seen", 1);
    state.get().save();
    client.request([](SessionState& other) { other.get().destroy(); });
    state.get().set("seen", 2);
  }) == Change::none);
}

TEST_CASE("session state: a request and an inner one have the same session") {
  Client client;
  const auto nothing = [](SessionState&) {};
  const auto set = [](SessionState& state) { state.get().set("outer", true); };
  const auto sign_in = [](SessionState& state) {
    state.get().regenerate();
    state.get().set("user", "ada");
  };
  // The cookie of the inner response, which was the last one.
  const auto sent = [&](const auto& outer, bool rolling, const auto& inner) {
    std::string id;
    const auto changes = client.request(outer, client.policy(rolling), [&](SessionState& state) {
      inner(state);
      id = state.get().id();
    });
    client.set_cookie(id);
    return changes;
  };
  CHECK(sent(set, false, sign_in) == std::pair(Change::set, Change::none));
  CHECK(client.request(nothing, client.policy(false), [](SessionState& state) {
    CHECK_FALSE(state.is_loaded());
    CHECK_FALSE(state.changes_response());
    CHECK(state.get().data() == Json({{"outer", true}, {"user", "ada"}}));
    CHECK(state.is_loaded());
  }) == std::pair(Change::none, Change::none));
  CHECK(client.request(nothing, client.policy(false), [](SessionState& state) {
    state.get().destroy();
  }) == std::pair(Change::cleared, Change::none));
}

TEST_CASE("session state: the options of the inner request apply to both") {
  Client client;
  client.request([](SessionState& state) { state.get().set("user", "ada"); });
  client.request([](SessionState& state) { state.get(); });  // it has its full time now
  const auto load = [](SessionState& state) { state.get(); };

  SUBCASE("auto_commit") {
    client.request([](SessionState& state) { state.get().set("outer", 1); },
                   client.policy(false, false),
                   [](SessionState& state) { state.get().set("inner", 1); });
    client.request([](SessionState& state) {
      CHECK(state.get().data() == Json({{"user", "ada"}, {"outer", 1}}));
    });
  }
  SUBCASE("rolling") {
    client.wait(std::chrono::hours(23));
    CHECK(client.request(load, client.policy(true), load) == std::pair(Change::set, Change::set));
    client.wait(std::chrono::hours(23));
    client.request([](SessionState& state) { CHECK_FALSE(state.get().is_new()); });
  }
}

TEST_CASE("session state: the secret of CSRF tokens belongs to the session") {
  Client client;
  client.request([](SessionState& state) {
    CHECK(state.csrf_secret().empty());
    state.set_csrf_secret("secret");
  });
  client.request([](SessionState& state) { CHECK(state.csrf_secret() == "secret"); });
}

}  // namespace session_state_test
