#include "features/csrf/csrf_token.hpp"

#include <fairway/errors.hpp>
#include <fairway/request.hpp>

#include <array>
#include <cstddef>
#include <optional>

#include "base/base64url.hpp"
#include "base/random.hpp"
#include "crypto/digests.hpp"
#include "exchange/exchange.hpp"
#include "features/session/session_state.hpp"
#include "http/cookies.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kSecretSize = 32;
constexpr std::string_view kConfigurationError = "CSRF_CONFIGURATION_ERROR";

std::string random_bytes() {
  std::array<unsigned char, kSecretSize> bytes{};
  base::fill_random(bytes);
  return {bytes.begin(), bytes.end()};
}

std::string encode(std::string_view bytes) {
  return base::encode_base64url(
      {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

std::string exclusive_or(std::string_view a, std::string_view b) {
  std::string result(a);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] =
        static_cast<char>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return result;
}

/// The mask, followed by the masked secret.
std::string mask(std::string_view secret) {
  const std::string bytes = random_bytes();
  return encode(bytes + exclusive_or(bytes, secret));
}

bool unmasks_to(std::string_view token, std::string_view secret) {
  const auto bytes = base::decode_base64url(token);
  if (!bytes || bytes->size() != 2 * kSecretSize) return false;
  const std::string_view text = *bytes;
  return crypto::equal_in_constant_time(
      exclusive_or(text.substr(0, kSecretSize), text.substr(kSecretSize)), secret);
}

bool uses_session(const Exchange& exchange) {
  const CsrfConfig& config = exchange.env.config.csrf;
  if (!config.enabled) raise_csrf(kConfigurationError, "csrf.enabled is not set");
  if (config.mode != CsrfMode::signed_cookie && exchange.session() != nullptr) return true;
  if (config.mode == CsrfMode::session) {
    raise_csrf(kConfigurationError, "csrf.mode is \"session\", and the route has no session");
  }
  if (config.secret.empty()) {
    raise_csrf(kConfigurationError, "the route has no session, and csrf.secret is not set");
  }
  return false;
}

// A signed cookie is "<secret>.<signature>", both encoded.

std::string sign(const CsrfConfig& config, std::string_view encoded_secret) {
  // Includes the name, so that a value that was signed for another purpose is not valid for this
  // cookie.
  return base::encode_base64url(
      crypto::hmac_sha256(config.secret, config.name + "=" + std::string(encoded_secret)));
}

/// The secret of the request's cookie, if the signature is valid.
std::optional<std::string> secret_of_cookie(Exchange& exchange) {
  const CsrfConfig& config = exchange.env.config.csrf;
  const auto cookie = exchange.cookie(config.name);
  if (!cookie) return std::nullopt;
  const std::string_view text = *cookie;
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view encoded = text.substr(0, dot);
  if (!crypto::equal_in_constant_time(text.substr(dot + 1), sign(config, encoded)))
    return std::nullopt;
  return base::decode_base64url(encoded);
}

/// The secret that was issued for this request, so that a second token has the same one.
struct IssuedSecret {
  std::string bytes;
};

std::string secret_for_cookie(Exchange& exchange) {
  if (auto secret = secret_of_cookie(exchange)) return *secret;
  if (const auto* issued = exchange.slots.get<IssuedSecret>()) return issued->bytes;
  const CsrfConfig& config = exchange.env.config.csrf;
  const std::string secret = random_bytes();
  const std::string encoded = encode(secret);
  exchange.response.set_cookie(
      config.name, encoded + "." + sign(config, encoded),
      http::configured_cookie(config.name, config.cookie, exchange.protocol() == "https",
                              std::nullopt));
  exchange.slots.set(IssuedSecret{secret});
  return secret;
}

std::string secret_for_session(Exchange& exchange) {
  SessionState& session = session_state(exchange);
  if (auto secret = base::decode_base64url(session.csrf_secret());
      secret && secret->size() == kSecretSize) {
    return *secret;
  }
  const std::string secret = random_bytes();
  session.set_csrf_secret(encode(secret));
  return secret;
}

}  // namespace

void raise_csrf(std::string_view code, std::string_view message) {
  const int status = code == kConfigurationError ? 500 : 403;
  throw HttpError(status, std::string(message), std::string(code));
}

std::string make_csrf_token(Exchange& exchange) {
  exchange.outgoing.has_csrf_token = true;
  return mask(uses_session(exchange) ? secret_for_session(exchange) : secret_for_cookie(exchange));
}

CsrfTokenStatus check_csrf_token(Exchange& exchange, std::string_view token) {
  std::optional<std::string> secret;
  if (uses_session(exchange)) {
    secret = base::decode_base64url(session_state(exchange).csrf_secret());
  } else {
    secret = secret_of_cookie(exchange);
    if (!secret) return CsrfTokenStatus::invalid_cookie;
  }
  const bool is_valid = secret && secret->size() == kSecretSize && unmasks_to(token, *secret);
  return is_valid ? CsrfTokenStatus::valid : CsrfTokenStatus::invalid_token;
}

}  // namespace fw::detail

namespace fw {

std::string Request::csrf_token() const { return detail::make_csrf_token(exchange_); }

}  // namespace fw
