#include "features/session/session_state.hpp"

#include <utility>

#include "exchange/exchange.hpp"

namespace fw::detail {

Session& SessionState::get() {
  if (!held_) held_.emplace(policy_, read_cookie_(), prefetch_);
  return held_->session;
}

bool SessionState::changes_response() const {
  if (!held_) return false;
  const Session& session = held_->session;
  return session.is_changed_ || session.cookie_ != Session::Cookie::unchanged;
}

void SessionState::finish() {
  // A rolling session that was not loaded is renewed as well.
  if (held_ || (policy_.rolling && read_cookie_())) get().finish();
}

void SessionState::abandon_new_id() {
  // Without the new id, changes must not be saved either: the old id must not be signed in.
  if (held_ && held_->session.has_new_id_) held_->session.forget();
}

SessionState::CookieChange SessionState::take_cookie_change() {
  if (!held_) return CookieChange::none;
  switch (std::exchange(held_->session.cookie_, Session::Cookie::unchanged)) {
    case Session::Cookie::unchanged:
      return CookieChange::none;
    case Session::Cookie::sent:
      return CookieChange::set;
    case Session::Cookie::cleared:
      return CookieChange::cleared;
  }
  return CookieChange::none;
}

SessionState& session_state(Exchange& exchange) {
  return static_cast<SessionState&>(exchange.session_access());
}

}  // namespace fw::detail
