// Tokens against forged requests: proof that a request comes from a page that could read a response
// of the application. A token hides the secret of the session, or of the signed cookie, under
// random bytes, so that the compression of responses does not disclose it.
#pragma once

#include <string>
#include <string_view>

namespace fw::detail {

class Exchange;

/// Makes the secret, too, if there is none. Throws HttpError CSRF_CONFIGURATION_ERROR where the
/// request has neither a session nor a secret to sign a cookie with.
std::string make_csrf_token(Exchange& exchange);

enum class CsrfTokenStatus { valid, invalid_cookie, invalid_token };

/// Throws as make_csrf_token does.
CsrfTokenStatus check_csrf_token(Exchange& exchange, std::string_view token);

/// Throws HttpError with a code of not-shown.md: 500 for CSRF_CONFIGURATION_ERROR, else 403.
[[noreturn]] void raise_csrf(std::string_view code, std::string_view message);

}  // namespace fw::detail
