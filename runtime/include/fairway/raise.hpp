// Throws errors that carry an HTTP response (docs/errors.md).
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace fw {

struct RaiseOptions;

/// Throws an HttpError (docs/errors.md). `code_or_params`: a string or number is the
/// business code, an object has i18n parameters. `code_or_details`: a string or number is the
/// business code, an object or array is the details. A status outside 400 to 599 is a programming
/// error and results in a 500.
[[noreturn]] void raise(int status, std::string_view message,
                        const Json& code_or_params = detail::null_json(),
                        const Json& code_or_details = detail::null_json());
/// Throws the error of a key in the locale files, with the status and code of its entry, or 400.
/// `params` is an object with values for `{{name}}` in the message.
[[noreturn]] void raise(std::string_view key, const Json& params = detail::null_json());
/// Throws an HttpError with these members.
[[noreturn]] void raise(RaiseOptions options);

namespace detail {

/// `fw::RaiseOptions` of files without <fairway/json.hpp>.
struct InlineRaiseOptions {
  int status = 500;
  std::string message = {};
  JsonLiteral code = {};
  JsonLiteral details = {};
  JsonLiteral params = {};
};

[[noreturn]] void raise_inline(int status, std::string_view message,
                               const JsonLiteral& code_or_params,
                               const JsonLiteral& code_or_details);
[[noreturn]] void raise_inline(std::string_view key, const JsonLiteral& params);
[[noreturn]] void raise_inline(const InlineRaiseOptions& options);

}  // namespace detail

/// @{
/// The same for what is written inline without <fairway/json.hpp>.
template <detail::WorseMatch = void>
[[noreturn]] void raise(int status, std::string_view message,
                        const detail::JsonLiteral& code_or_params,
                        const detail::JsonLiteral& code_or_details = {}) {
  detail::raise_inline(status, message, code_or_params, code_or_details);
}
template <detail::WorseMatch = void>
[[noreturn]] void raise(std::string_view key, const detail::JsonLiteral& params) {
  detail::raise_inline(key, params);
}
template <detail::WorseMatch = void>
[[noreturn]] void raise(const detail::InlineRaiseOptions& options) {
  detail::raise_inline(options);
}
/// @}

/// The same functions as members: `app.raise(404, "user.not_found")`.
class Raises {
 public:
  /// @{
  /// Like `fw::raise` with the same parameters.
  [[noreturn]] void raise(int status, std::string_view message,
                          const Json& code_or_params = detail::null_json(),
                          const Json& code_or_details = detail::null_json()) const {
    fw::raise(status, message, code_or_params, code_or_details);
  }
  [[noreturn]] void raise(std::string_view key, const Json& params = detail::null_json()) const {
    fw::raise(key, params);
  }
  [[noreturn]] void raise(RaiseOptions options) const;
  template <detail::WorseMatch = void>
  [[noreturn]] void raise(int status, std::string_view message,
                          const detail::JsonLiteral& code_or_params,
                          const detail::JsonLiteral& code_or_details = {}) const {
    detail::raise_inline(status, message, code_or_params, code_or_details);
  }
  template <detail::WorseMatch = void>
  [[noreturn]] void raise(std::string_view key, const detail::JsonLiteral& params) const {
    detail::raise_inline(key, params);
  }
  template <detail::WorseMatch = void>
  [[noreturn]] void raise(const detail::InlineRaiseOptions& options) const {
    detail::raise_inline(options);
  }
  /// @}

 protected:
  ~Raises() = default;
};

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/errors.hpp>
#endif
