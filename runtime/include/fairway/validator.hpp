// Validation in other hands than the framework's (reference: Validation; `app.setValidator`).
#pragma once

#include <fairway/errors.hpp>
#include <fairway/json.hpp>
#include <fairway/location.hpp>
#include <fairway/schema.hpp>

#include <functional>
#include <vector>

namespace fw {

class Request;

/// What became of one location of a request.
struct ValidationResult {
  Json value;                      ///< validated and converted: what `req.valid` returns
  std::vector<FieldError> errors;  ///< empty exactly when the input is valid
};

/// One location of a request that its route declares fields for.
class ValidationInput {
 public:
  ValidationInput(Location place, const Json& input, const SchemaMap& declared,
                  const Request& owner, const std::function<ValidationResult()>& standard_check)
      : location(place),
        value(input),
        fields(declared),
        request(owner),
        standard_(standard_check) {}

  const Location location;
  /// Strings for param, query, header and cookie, lists of strings for declared arrays of a query,
  /// a header or a urlencoded body; null for an absent body.
  const Json& value;
  const SchemaMap& fields;
  const Request& request;

  /// The framework's own validation of this input: to add to it, or for what is not yours.
  ValidationResult standard() const { return standard_(); }

 private:
  const std::function<ValidationResult()>& standard_;
};

/// Takes the place of the framework's validation for every location of every route. Called by many
/// threads at a time. Errors end the request with 400 for `param` and 422 for the others; what it
/// throws is an error of the request as from a handler.
using Validator = std::function<ValidationResult(const ValidationInput&)>;

}  // namespace fw
