// The identity of callers (docs/auth.md).
#pragma once

#include <fairway/docs.hpp>
#include <fairway/json_type.hpp>
#include <fairway/route_auth.hpp>
#include <fairway/text.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

class Request;
class Response;

/// The identity of the caller, as set by `fw::auth()`. `claims` contains data of the provider.
struct AuthContext {
  bool is_authenticated = false;         ///< false: anonymous
  std::string subject = {};              ///< the provider's id of the caller
  std::string user_id = {};              ///< the application's id of the caller
  std::vector<std::string> roles = {};   ///< of the caller
  std::vector<std::string> scopes = {};  ///< of the credential
  Json claims = {};                      ///< of the provider; null: none
  std::string scheme = {};               ///< `source` of the middleware that found the caller
  std::string provider = {};             ///< `provider` of that middleware
  /// Whether the credential was in a header field that browsers never send by themselves. Such
  /// requests cannot be forged by other sites, and need no CSRF token.
  bool is_from_header = false;
  std::optional<std::string> error = {};  ///< error code if a credential was rejected
  /// Permission provider; null when there is none.
  std::function<bool(std::string_view action, const Json& resource, const Json& context)>
      can_provider = {};
  /// Like `can_provider`, but denies by throwing; called if `can_provider` is null. A StoreError
  /// does not deny; it is rethrown.
  std::function<void(std::string_view action, const Json& resource, const Json& context)>
      assert_provider = {};

  /// Whether the caller may perform `action`. Rethrows what the provider throws; throws HttpError
  /// AUTH_CONFIG_ERROR if there is no provider.
  bool can(std::string_view action, const Json& resource = nullptr,
           const Json& context = nullptr) const;
};

/// The result of `verify` for a valid credential.
struct AuthIdentity {
  std::string subject = {};              ///< the provider's id of the caller; may be empty
  std::string user_id = {};              ///< the application's id of the caller; may be empty
  std::vector<std::string> roles = {};   ///< compared with those a route requires
  std::vector<std::string> scopes = {};  ///< compared with those a route requires
  Json claims = {};                      ///< further data for handlers
  /// Whether the caller may perform the action, on a resource, in a context; empty: see
  /// `assert_permission`.
  std::function<bool(std::string_view, const Json&, const Json&)> can = {};
  /// Like `can`, but denies by throwing anything but a StoreError; called if `can` is empty.
  std::function<void(std::string_view, const Json&, const Json&)> assert_permission = {};
};

/// Options of `fw::auth`: where the credential is, and who checks it (docs/auth.md).
struct AuthOptions {
  Text source = "bearer";       ///< "bearer", "apiKey", "session" or "custom"
  Text provider = {};           ///< a name for `AuthContext::provider`
  Text header = {};             ///< bearer: authorization; apiKey: x-api-key
  Text cookie = {};             ///< apiKey: the cookie to read if the header is absent
  Text session_key = "userId";  ///< session: the value with the user's id
  bool optional = false;        ///< custom: an unknown caller is anonymous instead of rejected
  /// Returns the identity for a valid credential, and nothing for an invalid one. An HttpError,
  /// ValidationError or StoreError has its usual response; another exception results in
  /// AUTH_PROVIDER_ERROR.
  std::function<std::optional<AuthIdentity>(std::string_view credential, Request&)> verify = {};
};

}  // namespace fw
