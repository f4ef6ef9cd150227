// The error codes of authentication and guards (`code` in the body).
#pragma once

#include <string_view>

namespace fw::detail {

inline constexpr std::string_view kAuthRequired = "AUTH_REQUIRED";
inline constexpr std::string_view kAuthInvalid = "AUTH_INVALID";
inline constexpr std::string_view kAuthForbidden = "AUTH_FORBIDDEN";
inline constexpr std::string_view kAuthProviderError = "AUTH_PROVIDER_ERROR";
inline constexpr std::string_view kAuthConfigError = "AUTH_CONFIG_ERROR";

/// Throws the response for a code; `text` replaces the default message.
[[noreturn]] void raise_auth(std::string_view code, std::string_view text = {});

/// Runs `ask`, a function of the application. Exceptions that have a response of their own, such as
/// HttpError and StoreError, are rethrown; others become AUTH_PROVIDER_ERROR with a nested cause.
template <class Ask>
auto ask_provider(Ask ask) -> decltype(ask());

/// For `ask_provider`, inside a catch block.
[[noreturn]] void raise_provider_error();

template <class Ask>
auto ask_provider(Ask ask) -> decltype(ask()) {
  try {
    return ask();
  } catch (...) {
    raise_provider_error();
  }
}

}  // namespace fw::detail
