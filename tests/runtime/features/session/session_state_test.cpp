// Sessions without requests and responses.
#include "features/session/session_state.hpp"

#include <fairway/config.hpp>
#include <fairway/store.hpp>

#include <doctest/doctest.h>

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
  const std::optional<std::string>& cookie() const { return cookie_; }
  void set_cookie(std::optional<std::string> cookie) { cookie_ = std::move(cookie); }

 private:
  std::shared_ptr<fw::Store> store_ = fw::memory_store();
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

TEST_CASE("session state: the secret of CSRF tokens belongs to the session") {
  Client client;
  client.request([](SessionState& state) {
    CHECK(state.csrf_secret().empty());
    state.set_csrf_secret("secret");
  });
  client.request([](SessionState& state) { CHECK(state.csrf_secret() == "secret"); });
}

}  // namespace session_state_test
