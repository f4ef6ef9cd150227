// Identity and the route guard (reference: Authentication).
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
  using Function = std::function<Json(Request&)>;

  PermissionArgument() = default;
  template <class T>
    requires(std::constructible_from<Json, const T&> && !std::invocable<const T&, Request&>)
  PermissionArgument(const T& value) : value_(Json(value)) {}
  PermissionArgument(Json::initializer_list_t value) : value_(Json(value)) {}
  template <class F>
    requires std::is_invocable_r_v<Json, F&, Request&>
  PermissionArgument(F function) : value_(Function(std::move(function))) {}

  const std::variant<Json, Function>& get() const { return value_; }
  Json evaluate(Request& request) const {
    if (const auto* function = std::get_if<Function>(&value_)) return (*function)(request);
    return std::get<Json>(value_);
  }

 private:
  std::variant<Json, Function> value_;
};

/// An action, optionally on a resource in a context: `"doc.read"` or `{"doc.read", "d1"}`.
class Permission {
 public:
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  Permission(const T& action_name) : action(std::string_view(action_name)) {}
  Permission(Text action_name, PermissionArgument on_resource, PermissionArgument in_context = {})
      : action(std::move(action_name)),
        resource(std::move(on_resource)),
        context(std::move(in_context)) {}

  Text action;
  PermissionArgument resource;
  PermissionArgument context;
};

/// What the guard of a route requires. All declared groups (roles, scopes, permissions) must pass;
/// `mode` applies within each group.
struct AuthRequirement {
  bool required = true;
  TextList roles = {};
  TextList scopes = {};
  std::vector<Permission> permissions = {};
  Text mode = "any";  ///< "any": one of a group suffices; "all": every item is needed
  std::function<bool(Request&, AuthContext&)> check = {};            ///< runs last; false denies
  SecurityRequirements security = SecurityRequirements::inferred();  ///< documentation only
};

/// `auth` of a route: `true`, `false`, or a requirement.
class Auth {
 public:
  Auth() = default;  ///< not declared
  template <std::same_as<bool> B>
  Auth(B required) : declared_(true), enabled_(required) {}
  Auth(AuthRequirement requirement)
      : declared_(true), enabled_(true), requirement_(std::move(requirement)) {}

  bool declared() const { return declared_; }
  /// False for `auth: false` and for a route that declares nothing.
  bool enabled() const { return enabled_; }
  const AuthRequirement& requirement() const { return requirement_; }

 private:
  bool declared_ = false;
  bool enabled_ = false;
  AuthRequirement requirement_;
};

/// The identity of the caller, as set by `fw::auth()`. `claims` contains data of the provider.
struct AuthContext {
  bool is_authenticated = false;
  std::string subject = {};
  std::string user_id = {};
  std::vector<std::string> roles = {};
  std::vector<std::string> scopes = {};
  Json claims = {};
  std::string scheme = {};
  std::string provider = {};
  std::optional<std::string> error = {};  ///< error code if a credential was rejected
  /// Permission provider; null when there is none.
  std::function<bool(std::string_view action, const Json& resource, const Json& context)>
      can_provider = {};
  /// Like `can_provider`, but denies by throwing; called if `can_provider` is null.
  std::function<void(std::string_view action, const Json& resource, const Json& context)>
      assert_provider = {};

  /// Whether the caller may perform `action`. Rethrows what the provider throws; throws HttpError
  /// AUTH_CONFIG_ERROR if there is no provider.
  bool can(std::string_view action, const Json& resource = nullptr,
           const Json& context = nullptr) const;
};

/// The result of `verify` for a valid credential.
struct AuthIdentity {
  std::string subject = {};
  std::string user_id = {};
  std::vector<std::string> roles = {};
  std::vector<std::string> scopes = {};
  Json claims = {};
  std::function<bool(std::string_view, const Json&, const Json&)> can = {};
  std::function<void(std::string_view, const Json&, const Json&)> assert_permission = {};
};

struct AuthOptions {
  Text source = "bearer";  ///< "bearer", "apiKey", "session" or "custom"
  Text provider = {};
  Text header = {};  ///< bearer: authorization; apiKey: x-api-key
  Text cookie = {};  ///< apiKey: the cookie to read if the header is absent
  Text session_key = "userId";
  bool optional = false;  ///< custom: an unknown caller is anonymous instead of rejected
  /// Returns the identity for a valid credential, and nothing for an invalid one. An exception
  /// results in AUTH_PROVIDER_ERROR.
  std::function<std::optional<AuthIdentity>(std::string_view credential, Request&)> verify = {};
};

}  // namespace fw
