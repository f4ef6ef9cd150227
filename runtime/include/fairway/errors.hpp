// Errors that carry an HTTP response (docs/errors.md).
#pragma once

#include <fairway/json_type.hpp>
#include <fairway/raise.hpp>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

/// The object form of `raise`.
struct RaiseOptions {
  int status = 500;          ///< 400 to 599
  std::string message = {};  ///< a message or an i18n key; empty: the status's default
  Json code = {};            ///< string or number; null: the code of the i18n entry, or the status
  Json details = {};         ///< any JSON; null: none
  Json params = {};          ///< for `{{name}}` in the message
};

/// An error response as an exception: HTTP status (400 to 599), message, optional business code and
/// details.
class HttpError : public std::runtime_error {
 public:
  /// See `RaiseOptions` for the parameters. Throws std::invalid_argument for a status outside 400
  /// to 599 or a code of another type.
  HttpError(int status, std::string message, Json code = nullptr, Json details = nullptr);
  /// The same for the object form.
  explicit HttpError(RaiseOptions options);

  /// @{
  /// As given; see `RaiseOptions`.
  int status() const { return options_.status; }
  const Json& code() const { return options_.code; }
  const Json& details() const { return options_.details; }
  const Json& params() const { return options_.params; }
  /// @}
  /// True for `raise("key")`: the status comes from the locale entry, else 400.
  bool key_only() const { return key_only_; }
  /// The error of `raise("key", params)`.
  static HttpError from_key(std::string key, Json params = {});

 private:
  RaiseOptions options_;
  bool key_only_ = false;
};

/// An error in one field. The response contains the translation of the key into the language of the
/// request (docs/i18n.md), or `message` if no locale file has one.
struct FieldError {
  std::string field;     ///< name, or path: "items.0.price"
  std::string message;   ///< for the client
  std::string key = {};  ///< in the locale files, such as `validation.required`; empty: `message`
  Json params = {};      ///< an object with values for `{{name}}`; `field` is added
};

/// The result of the validation of one location of a request.
struct ValidationResult {
  Json value;                      ///< the validated and converted input, which `req.valid` returns
  std::vector<FieldError> errors;  ///< empty if and only if the input is valid
};

/// Errors in fields: a response with status 422 (400 for path parameters) and an `errors` list. Its
/// message, "Validation failed", has the i18n key `validation.failed`.
class ValidationError : public std::runtime_error {
 public:
  /// @{
  /// The errors in the order of the response, and its HTTP status.
  explicit ValidationError(std::vector<FieldError> errors, int status = 422);
  explicit ValidationError(std::initializer_list<FieldError> errors, int status = 422)
      : ValidationError(std::vector<FieldError>(errors), status) {}
  /// @}
  /// In the order of the response.
  const std::vector<FieldError>& errors() const { return errors_; }
  /// HTTP status of the response.
  int status() const { return status_; }

 private:
  std::vector<FieldError> errors_;
  int status_;
};

/// Errors that prevent an application from starting, reported together, one per line.
class StartupError : public std::runtime_error {
 public:
  /// One message for each error.
  explicit StartupError(std::vector<std::string> errors);
  /// One message for each error.
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  std::vector<std::string> errors_;
};

}  // namespace fw
