#include "features/auth/auth_errors.hpp"

#include <fairway/errors.hpp>
#include <fairway/store.hpp>

#include <exception>
#include <string>

namespace fw::detail {
namespace {

struct AuthError {
  std::string_view code;
  int status;
  std::string_view message;
};

constexpr AuthError kErrors[] = {
    {kAuthRequired, 401, "Authentication required"},
    {kAuthInvalid, 401, "Invalid authentication credential"},
    {kAuthForbidden, 403, "Forbidden"},
    {kAuthProviderError, 500, "Authentication provider failed"},
    {kAuthConfigError, 500, "Authentication is not configured"},
};

}  // namespace

void raise_auth(std::string_view code, std::string_view text) {
  for (const AuthError& error : kErrors) {
    if (error.code != code) continue;
    throw HttpError(error.status, std::string(text.empty() ? error.message : text),
                    std::string(code));
  }
  // A code of the application that its middleware stored in `error`.
  throw HttpError(401, "Invalid authentication credential", std::string(code));
}

void raise_provider_error() {
  try {
    throw;
  } catch (const HttpError&) {
    throw;
  } catch (const ValidationError&) {
    throw;
  } catch (const StoreError&) {
    throw;
  } catch (...) {
    // Other exceptions are nested below.
  }
  std::throw_with_nested(
      HttpError(500, "Authentication provider failed", std::string(kAuthProviderError)));
}

}  // namespace fw::detail
