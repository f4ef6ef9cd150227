// CSRF tokens. They prove that a request comes from a page that could read a response of the
// application. A token masks the secret of the session, or of the signed cookie, with random bytes,
// so that the compression of responses does not disclose it.
#pragma once

#include <string>
#include <string_view>

namespace fw::detail {

class Exchange;

/// Creates the secret, too, if there is none. Throws HttpError CSRF_CONFIGURATION_ERROR if the
/// request has no session and `csrf.secret` is not set.
std::string make_csrf_token(Exchange& exchange);

enum class CsrfTokenStatus { valid, invalid_cookie, invalid_token };

/// Throws like make_csrf_token.
CsrfTokenStatus check_csrf_token(Exchange& exchange, std::string_view token);

/// Throws HttpError with the code: status 500 for CSRF_CONFIGURATION_ERROR, otherwise 403.
[[noreturn]] void raise_csrf(std::string_view code, std::string_view message);

}  // namespace fw::detail
