// Identity and the route guard (docs/auth.md).
#pragma once

#include <fairway/docs.hpp>
#include <fairway/json.hpp>
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
struct AuthContext;

/// A JSON value, or a function of the request that returns one.
class PermissionArgument {
 public:
  using Function = std::function<Json(Request&)>;  ///< returns the value for a request

  PermissionArgument() = default;  ///< null
  /// @{
  /// A value, or a function of the request. It may throw an HttpError.
  template <class T>
    requires(std::constructible_from<Json, const T&> && !std::invocable<const T&, Request&>)
  PermissionArgument(const T& value) : PermissionArgument(Fixed{Json(value)}) {}
  PermissionArgument(Json::initializer_list_t value);
  template <class F>
    requires std::is_invocable_r_v<Json, F&, Request&>
  PermissionArgument(F function) : PermissionArgument(Computed{std::move(function)}) {}
  /// @}

  /// As given.
  const std::variant<Json, Function>& get() const;
  /// The value for this request. Rethrows exceptions of the function.
  Json evaluate(Request& request) const;

 private:
  struct Fixed {
    Json value;
  };
  struct Computed {
    Function function;
  };
  explicit PermissionArgument(Fixed fixed);
  explicit PermissionArgument(Computed computed);

  detail::Constant<std::variant<Json, Function>> value_;  ///< nothing: null
};

/// An action, optionally on a resource in a context: `"doc.read"` or `{"doc.read", "d1"}`.
class Permission {
 public:
  /// @{
  /// An action without a resource.
  template <detail::Character C>
  Permission(const C* action_name) : action(action_name) {}
  template <detail::StringLike T>
  Permission(const T& action_name) : action(action_name) {}
  /// @}
  /// An action on a resource, in a context.
  Permission(Text action_name, PermissionArgument on_resource, PermissionArgument in_context = {})
      : action(std::move(action_name)),
        resource(std::move(on_resource)),
        context(std::move(in_context)) {}

  Text action;                  ///< passed to `can` of the identity
  PermissionArgument resource;  ///< null: none
  PermissionArgument context;   ///< null: none
};

/// What the guard of a route requires. All declared groups (roles, scopes, permissions) must pass;
/// `mode` applies within each group.
struct AuthRequirement {
  bool required = true;  ///< false: anonymous callers may pass if nothing else is required
  TextList roles = {};   ///< required roles of the caller
  TextList scopes = {};  ///< required scopes of the credential
  std::vector<Permission> permissions = {};  ///< required; `can` of the identity decides
  Text mode = "any";  ///< "any": one of a group suffices; "all": every item is needed
  std::function<bool(Request&, AuthContext&)> check = {};  ///< runs last; false denies
  /// The client must have shown a certificate (docs/tls.md). It suffices for `required` and
  /// `check`; roles, scopes and permissions need an identity, too.
  bool client_certificate = false;
  SecurityRequirements security = SecurityRequirements::inferred();  ///< documentation only
};

/// `auth` of a route: `true`, `false`, or a requirement.
class Auth {
 public:
  Auth() = default;  ///< not declared
  /// `true`: authentication is required; `false`: the route is explicitly public.
  template <std::same_as<bool> B>
  Auth(B required) : declared_(true), enabled_(required) {}
  /// Authentication is required, and the requirement must be met.
  Auth(AuthRequirement requirement);

  /// Whether the route has the option, even as `false`.
  bool declared() const { return declared_; }
  /// False for `auth: false` and for a route that declares nothing.
  bool enabled() const { return enabled_; }
  /// The defaults if `auth` is `true`.
  const AuthRequirement& requirement() const;

 private:
  bool declared_ = false;
  bool enabled_ = false;
  detail::Constant<AuthRequirement> requirement_;  ///< nothing: the defaults
};

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
