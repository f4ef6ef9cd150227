// The session of one request, or of one and another that its handler sends to the application for
// the same client. It knows neither the request nor the response.
#pragma once

#include <fairway/session.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "exchange/request_session.hpp"
#include "features/session/session_policy.hpp"
#include "features/session/session_prefetch.hpp"

namespace fw::detail {

class Exchange;

/// Used by one thread at a time.
class SessionState final : public RequestSession {
 public:
  using ReadCookie = std::function<std::optional<std::string>()>;

  /// `read_cookie` returns the value of the session's cookie in the request; `prefetch` is what was
  /// read for it, or null, and must outlive the state.
  SessionState(const SessionPolicy& policy, ReadCookie read_cookie, SessionPrefetch* prefetch)
      : policy_(policy), read_cookie_(std::move(read_cookie)), prefetch_(prefetch) {}
  /// The session of `outer`, so that neither request saves or sends what the other has replaced.
  /// From now on, `policy` applies to both requests, and sessions are rolling if they are for one
  /// of them. `outer` must outlive the state. Throws StoreError.
  SessionState(SessionState& outer, const SessionPolicy& policy);

  Session& get() override;
  bool is_loaded() const override { return is_used_; }
  bool changes_response() const override;

  /// The secret of the session's CSRF tokens; empty until it is set. Both throw like `get`.
  const std::string& csrf_secret() { return get().csrf_secret_; }
  void set_csrf_secret(std::string secret) { get().set_csrf_secret(std::move(secret)); }

  enum class CookieChange { none, set, cleared };
  /// Saves the session if necessary. Throws StoreError; the changes are dropped then.
  void finish();
  /// If the session is new or gets a new id, forgets that and all changes that have not been saved:
  /// the client does not get the cookie. Returns whether there were any to be saved.
  bool abandon_new_id();
  /// What the response must do with the cookie, once.
  CookieChange take_cookie_change();

 private:
  /// A session in the memory of this object: only its members may construct one.
  struct Held {
    Held(const SessionPolicy& policy, std::optional<std::string> cookie, SessionPrefetch* prefetch)
        : session(policy, std::move(cookie), prefetch) {}
    Session session;
  };

  std::optional<Held>& held() { return outer_ != nullptr ? outer_->held_ : held_; }

  // Of the outer request if there is one, except for `outer_` and `is_used_`.
  SessionState* outer_ = nullptr;
  bool is_used_ = false;
  SessionPolicy policy_;
  ReadCookie read_cookie_;
  SessionPrefetch* prefetch_ = nullptr;
  std::optional<Held> held_;  ///< empty until the session is used
};

/// The session of a request that has one: see `Exchange::required_session`, whose errors it throws.
SessionState& session_state(Exchange& exchange);

}  // namespace fw::detail
