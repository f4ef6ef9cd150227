#include "features/session/session_state.hpp"

#include <utility>

#include "exchange/exchange.hpp"

namespace fw::detail {

Session& SessionState::get() {
  if (!session_) session_.reset(new Session(policy_, read_cookie_(), prefetch_));
  return *session_;  // its constructor is private
}

bool SessionState::changes_response() const {
  return session_ && (session_->is_changed_ || session_->cookie_ != Session::Cookie::unchanged);
}

void SessionState::finish() {
  // A rolling session that was not loaded is renewed as well.
  if (session_ || (policy_.rolling && read_cookie_())) get().finish();
}

SessionState::CookieChange SessionState::take_cookie_change() {
  if (!session_) return CookieChange::none;
  switch (std::exchange(session_->cookie_, Session::Cookie::unchanged)) {
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
