// Who makes a request.
#pragma once

#include <fairway/auth.hpp>

#include <optional>

namespace fw::detail {

/// Filled by middlewares and hooks, as `req.auth()`.
class RequestIdentity {
 public:
  /// Anonymous at first.
  AuthContext& get() {
    if (!auth_) auth_.emplace();
    return *auth_;
  }
  bool is_authenticated() const { return auth_ && auth_->is_authenticated; }
  /// Whether a middleware has found out, or tried to find out, who the caller is.
  bool is_set() const {
    if (!auth_) return false;
    const AuthContext& auth = *auth_;
    return auth.is_authenticated || auth.error || !auth.subject.empty() || !auth.user_id.empty() ||
           !auth.roles.empty() || !auth.scopes.empty() || !auth.claims.is_null();
  }

 private:
  std::optional<AuthContext> auth_;
};

}  // namespace fw::detail
