// The exception types of <fairway/errors.hpp> and the forms of `raise`.
#include <fairway/errors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "errors/messages.hpp"

namespace fw {
namespace {

std::string message_or_default(const RaiseOptions& options) {
  if (options.status < 400 || options.status > 599) {
    throw std::invalid_argument(fmt::format(
        "an error response must have a status from 400 to 599, not {}; use res.status() for others",
        options.status));
  }
  if (!options.code.is_null() && !options.code.is_string() && !options.code.is_number()) {
    throw std::invalid_argument("the code of an error response must be a string or a number");
  }
  return options.message.empty() ? std::string(detail::default_message(options.status))
                                 : options.message;
}

bool is_code(const Json& value) { return value.is_string() || value.is_number(); }

}  // namespace

HttpError::HttpError(int status, std::string message, Json code, Json details)
    : HttpError(RaiseOptions{.status = status,
                             .message = std::move(message),
                             .code = std::move(code),
                             .details = std::move(details)}) {}

HttpError::HttpError(RaiseOptions options)
    : std::runtime_error(message_or_default(options)), options_(std::move(options)) {}

HttpError HttpError::from_key(std::string key, Json params) {
  HttpError error({.status = 400, .message = std::move(key), .params = std::move(params)});
  error.key_only_ = true;
  return error;
}

ValidationError::ValidationError(std::vector<FieldError> errors, int status)
    : std::runtime_error("Validation failed"), errors_(std::move(errors)), status_(status) {}

StartupError::StartupError(std::vector<std::string> errors)
    : std::runtime_error(fmt::format("{}", fmt::join(errors, "\n"))), errors_(std::move(errors)) {}

void raise(int status, std::string_view message, const Json& code_or_params,
           const Json& code_or_details) {
  RaiseOptions options{.status = status, .message = std::string(message)};
  if (is_code(code_or_params)) {
    options.code = code_or_params;
  } else {
    options.params = code_or_params;
  }
  if (is_code(code_or_details)) {
    options.code = code_or_details;
  } else {
    options.details = code_or_details;
  }
  throw HttpError(std::move(options));
}

void raise(std::string_view key, const Json& params) {
  throw HttpError::from_key(std::string(key), params);
}

void raise(RaiseOptions options) { throw HttpError(std::move(options)); }

void Raises::raise(RaiseOptions options) const { fw::raise(std::move(options)); }

namespace detail {

void raise_inline(int status, std::string_view message, const JsonLiteral& code_or_params,
                  const JsonLiteral& code_or_details) {
  fw::raise(status, message, code_or_params.tree(), code_or_details.tree());
}
void raise_inline(std::string_view key, const JsonLiteral& params) {
  fw::raise(key, params.tree());
}
void raise_inline(const InlineRaiseOptions& options) {
  throw HttpError(RaiseOptions{.status = options.status,
                               .message = options.message,
                               .code = options.code.tree(),
                               .details = options.details.tree(),
                               .params = options.params.tree()});
}

}  // namespace detail

}  // namespace fw
