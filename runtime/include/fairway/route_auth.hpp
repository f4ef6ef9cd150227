// The route guard (docs/auth.md).
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/security_requirements.hpp>
#include <fairway/text.hpp>

#include <concepts>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

class Request;
struct AuthContext;

class PermissionArgument;

namespace detail {

template <class T>
constexpr bool makes_json() {
  if constexpr (std::same_as<T, PermissionArgument>) {
    return false;
  } else if constexpr (std::convertible_to<const T&, JsonLiteral>) {
    return true;
  } else {
    static_assert(sizeof(JsonFor<T>) > 0, "include <fairway/json.hpp>");
    return std::constructible_from<JsonFor<T>, const T&>;
  }
}

}  // namespace detail

/// A JSON value, or a function of the request that returns one.
class PermissionArgument {
 public:
  using Function = std::function<Json(Request&)>;  ///< returns the value for a request

  PermissionArgument() = default;  ///< null
  /// @{
  /// A value, or a function of the request. It may throw an HttpError.
  template <class T>
    requires(!std::invocable<const T&, Request&> && detail::makes_json<T>())
  PermissionArgument(const T& value) {
    if constexpr (std::convertible_to<const T&, detail::JsonLiteral>) {
      set(detail::JsonLiteral(value).tree());
    } else {
      set(detail::JsonFor<T>(value));
    }
  }
  PermissionArgument(std::initializer_list<nlohmann::detail::json_ref<Json>> value);
  template <detail::WorseMatch = void>
  PermissionArgument(std::initializer_list<detail::JsonItem> value) {
    set(detail::JsonItem(value).tree());
  }
  template <class F>
    requires(!std::same_as<F, PermissionArgument>) && std::invocable<F&, Request&> &&
            std::is_invocable_r_v<Json, F&, Request&>
  PermissionArgument(F function) {
    set_function(std::move(function));
  }
  /// @}
  /// @{
  /// Copies and moves.
  PermissionArgument(const PermissionArgument& other);
  PermissionArgument(PermissionArgument&& other) noexcept;
  PermissionArgument& operator=(const PermissionArgument& other);
  PermissionArgument& operator=(PermissionArgument&& other) noexcept;
  /// @}
  ~PermissionArgument();

  /// As given.
  const std::variant<Json, Function>& get() const;
  /// The value for this request. Rethrows exceptions of the function.
  Json evaluate(Request& request) const;

 private:
  void set(const Json& value);
  void set_function(Function function);

  using Value = std::variant<Json, Function>;

  detail::Constant<Value> value_;  ///< nothing: null
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

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/auth.hpp>
#endif
