#include "features/session/session_state.hpp"

#include "exchange/exchange.hpp"

namespace fw::detail {

SessionState::SessionState(SessionState& outer, const SessionPolicy& policy)
    : outer_(&outer), policy_(policy) {
  SessionPolicy& shared = outer.policy_;
  if (shared.auto_commit && !policy.auto_commit && outer.held_) outer.finish();
  shared.auto_commit = policy.auto_commit;
  if (policy.rolling && !std::exchange(shared.rolling, true) && outer.held_) {
    // It was loaded without being renewed.
    Session& session = outer.held_->session;
    if (!session.is_new()) shared.store.get_and_renew(session.stored_key(), shared.ttl());
  }
}

Session& SessionState::get() {
  SessionState& owner = outer_ != nullptr ? *outer_ : *this;
  if (!owner.held_) owner.held_.emplace(owner.policy_, owner.read_cookie_(), owner.prefetch_);
  owner.is_used_ = true;
  is_used_ = true;
  return owner.held_->session;
}

bool SessionState::changes_response() const {
  if (outer_ != nullptr) return is_used_ && outer_->changes_response();
  if (!held_) return false;
  const Session& session = held_->session;
  return session.is_changed_ || session.cookie_ != Session::Cookie::unchanged;
}

void SessionState::finish() {
  if (outer_ != nullptr) return outer_->finish();
  // A rolling session that was not loaded is renewed as well.
  if (!held_ && (!policy_.rolling || !read_cookie_())) return;
  Session& session = get();
  try {
    session.finish();
  } catch (...) {
    // The response to this request says that they were not saved.
    session.forget();
    throw;
  }
}

bool SessionState::abandon_new_id() {
  if (!held()) return false;
  Session& session = held()->session;
  // Without the new id, changes must not be saved either: the old id must not be signed in, and
  // nobody could use a new session.
  const bool is_created = !session.stored_ && session.is_changed_;
  if (!session.has_new_id_ && !is_created) return false;
  const bool is_lost = session.is_changed_ && session.policy_.auto_commit;
  session.forget();
  return is_lost;
}

SessionState::CookieChange SessionState::take_cookie_change() {
  auto& session = held();
  if (!session) return CookieChange::none;
  switch (std::exchange(session->session.cookie_, Session::Cookie::unchanged)) {
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
  return static_cast<SessionState&>(exchange.required_session());
}

}  // namespace fw::detail
