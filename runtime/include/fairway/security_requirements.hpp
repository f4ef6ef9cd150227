// Which security schemes of the OpenAPI document a route needs (docs/openapi.md).
#pragma once

#include <fairway/text.hpp>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace fw {

/// A security scheme with the scopes it needs: `{"oauth", {"read"}}`.
struct SecurityScheme {
  /// Without scopes, if the scheme has none.
  SecurityScheme(Text scheme_name, TextList scheme_scopes = {})
      : name(std::move(scheme_name)), scopes(std::move(scheme_scopes)) {}
  Text name;        ///< a key of `openapi.securitySchemes`
  TextList scopes;  ///< all of them are needed
};

/// Schemes that must all be satisfied.
class SecurityRequirement {
 public:
  SecurityRequirement() = default;  ///< no scheme: anonymous access
  /// `{"bearerAuth", {"oauth", {"read"}}}`
  SecurityRequirement(std::initializer_list<SecurityScheme> schemes) : schemes_(schemes) {}
  /// In the order given.
  const detail::List<SecurityScheme>& schemes() const { return schemes_; }

 private:
  detail::List<SecurityScheme> schemes_;
};

/// Alternatives, of which one must be satisfied. `{}` declares that no security is needed; if a
/// route declares nothing, its security is inferred.
class SecurityRequirements {
 public:
  SecurityRequirements() = default;  ///< no security
  /// One of these must be satisfied.
  SecurityRequirements(std::initializer_list<SecurityRequirement> alternatives)
      : alternatives_(alternatives) {}
  /// @{
  /// The name of one scheme.
  template <detail::Character C>
  SecurityRequirements(const C* scheme) : SecurityRequirements(Scheme{scheme}) {}
  template <detail::StringLike T>
  SecurityRequirements(const T& scheme) : SecurityRequirements(Scheme{scheme}) {}
  /// @}

  /// The default: inferred from `auth` and from the middlewares.
  static SecurityRequirements inferred() {
    SecurityRequirements result;
    result.declared_ = false;
    return result;
  }

  /// False: inferred.
  bool declared() const { return declared_; }
  /// In the order given.
  const detail::List<SecurityRequirement>& alternatives() const { return alternatives_; }

 private:
  struct Scheme {
    std::string_view name;
  };
  explicit SecurityRequirements(Scheme scheme);

  bool declared_ = true;
  detail::List<SecurityRequirement> alternatives_;
};

}  // namespace fw
