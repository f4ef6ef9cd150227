// Custom validation (docs/validation.md).
#pragma once

#include <fairway/errors.hpp>
#include <fairway/json_type.hpp>
#include <fairway/location.hpp>
#include <fairway/schema.hpp>

#include <functional>
#include <vector>

namespace fw {

class Request;

/// One location of a request that its route declares fields for.
class ValidationInput {
 public:
  /// For the framework, which creates it.
  ValidationInput(Location where, const Json& input, const SchemaMap& declared,
                  const Request& owner, const std::function<ValidationResult()>& standard_check)
      : location(where),
        value(input),
        fields(declared),
        request(owner),
        standard_(standard_check) {}

  const Location location;  ///< the part of the request
  /// Strings for param, query, header and cookie, lists of strings for declared arrays of a query,
  /// a header or a urlencoded body; null for an absent body.
  const Json& value;
  const SchemaMap& fields;  ///< as declared by the route, or the type of its handler; never empty
  const Request& request;   ///< whose part this is

  /// Runs the framework's own validation of this input, to extend it or for input that needs no
  /// other.
  ValidationResult standard() const { return standard_(); }

 private:
  const std::function<ValidationResult()>& standard_;
};

/// Replaces the framework's validation for every location of every route. Called concurrently by
/// many threads. Errors result in 400 for `param` and 422 for the others; an exception is treated
/// like one from a handler.
using Validator = std::function<ValidationResult(const ValidationInput&)>;

}  // namespace fw
