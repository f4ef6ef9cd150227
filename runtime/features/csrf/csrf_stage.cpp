// CSRF tokens, and the stage that rejects forged cross-site requests (docs/csrf.md).
#include <fairway/errors.hpp>
#include <fairway/request.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "base/base64url.hpp"
#include "base/origin.hpp"
#include "base/random.hpp"
#include "chain/stages.hpp"
#include "crypto/digests.hpp"
#include "features/cors/cors_stage.hpp"
#include "features/session/session_policy.hpp"
#include "features/session/session_state.hpp"
#include "http/cookies.hpp"

namespace fw::detail {
namespace {

// Tokens prove that a request comes from a page that could read a response of the application. A
// token masks the secret of the session, or of the signed cookie, with random bytes, so that the
// compression of responses does not disclose it.

constexpr std::size_t kSecretSize = 32;
constexpr std::string_view kConfigurationError = "CSRF_CONFIGURATION_ERROR";

/// Throws HttpError with the code: status 500 for CSRF_CONFIGURATION_ERROR, otherwise 403.
[[noreturn]] void raise_csrf(std::string_view code, std::string_view message) {
  const int status = code == kConfigurationError ? 500 : 403;
  throw HttpError(status, std::string(message), std::string(code));
}

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

/// Creates the secret, too, if there is none. Throws HttpError CSRF_CONFIGURATION_ERROR if the
/// request has no session and `csrf.secret` is not set.
std::string make_csrf_token(Exchange& exchange) {
  exchange.outgoing.has_csrf_token = true;
  return mask(uses_session(exchange) ? secret_for_session(exchange) : secret_for_cookie(exchange));
}

enum class CsrfTokenStatus { valid, invalid_cookie, invalid_token };

/// Throws like make_csrf_token.
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

/// The origin of a URL, which is the part before its path.
std::string_view origin_of(std::string_view url) {
  const auto authority = url.find("://");
  if (authority == std::string_view::npos) return url;
  return url.substr(0, url.find_first_of("/?#", authority + 3));
}

class CsrfStage : public Stage {
 public:
  CsrfStage(const Environment& env, const RouteOptions& route)
      : config_(env.config.csrf),
        skip_(env.skip_csrf),
        guard_follows_(route.auth.enabled() && route.middlewares.empty()) {
    for (const std::string& origin : trusted_origins_of(env.config)) {
      trusted_origins_.push_back(base::parse_origin(origin).value_or(origin));
    }
  }

  void run(Exchange& exchange, const NextStages& next) const override {
    // No other site can make a browser send the credential.
    if (exchange.identity.is_authenticated() && exchange.identity.get().is_from_header)
      return next(exchange);
    if (is_rejected_by_guard(exchange)) return next(exchange);
    if (skip_ && skip_(exchange.request)) return next(exchange);
    require_fetch_metadata(exchange);
    require_origin(exchange);
    const auto token = find_token(exchange);
    if (!token) raise_csrf("CSRF_TOKEN_MISSING", "The CSRF token is missing");
    switch (check_csrf_token(exchange, *token)) {
      case CsrfTokenStatus::valid:
        break;
      case CsrfTokenStatus::invalid_cookie:
        raise_csrf("CSRF_COOKIE_INVALID", "The CSRF cookie is missing or invalid");
      case CsrfTokenStatus::invalid_token:
        raise_csrf("CSRF_TOKEN_INVALID", "The CSRF token is invalid");
    }
    next(exchange);
  }

 private:
  /// Without own ones, those whose pages may send requests with cookies and read the responses.
  static std::vector<std::string> trusted_origins_of(const Config& config) {
    if (!config.csrf.origin.trusted_origins.empty()) return config.csrf.origin.trusted_origins;
    const bool has_list =
        config.cors.enabled && config.cors.credentials && !allows_any(config.cors);
    return has_list ? config.cors.origins : std::vector<std::string>();
  }

  /// Whether a credential is invalid, for which the guard responds with 401. That tells a program
  /// more than an error about a token which it does not need.
  bool is_rejected_by_guard(Exchange& exchange) const {
    return guard_follows_ && exchange.identity.is_set() &&
           exchange.identity.get().error.has_value();
  }

  bool is_trusted(std::string_view text) const {
    const auto origin = base::parse_origin(text);
    return origin && std::find(trusted_origins_.begin(), trusted_origins_.end(), *origin) !=
                         trusted_origins_.end();
  }

  /// Rejects cross-site requests, except requests of trusted origins.
  void require_fetch_metadata(Exchange& exchange) const {
    if (!config_.fetch_metadata) return;
    const auto site = exchange.header("sec-fetch-site");
    if (!site || !base::equal_ignoring_case(base::trim_ows(*site), "cross-site")) return;
    if (is_trusted(exchange.header("origin").value_or(""))) return;
    raise_csrf("CSRF_FETCH_METADATA_REJECTED", "Cross-site requests are not accepted");
  }

  /// Browsers send the origin of each request that is not GET or HEAD, at least in Referer. A
  /// client without these headers is not a browser.
  void require_origin(Exchange& exchange) const {
    if (!config_.origin.enabled) return;
    auto origin = exchange.header("origin");
    if (!origin) {
      origin = exchange.header("referer");
      if (!origin) return;
      origin = origin_of(*origin);
    }
    const auto parsed = base::parse_origin(*origin);
    const auto own = base::parse_origin(
        fmt::format("{}://{}", exchange.protocol(), exchange.header("host").value_or("")));
    if ((parsed && parsed == own) || is_trusted(*origin)) return;
    raise_csrf("CSRF_ORIGIN_REJECTED", "The origin of the request is not trusted");
  }

  std::optional<std::string> find_token(Exchange& exchange) const {
    for (const std::string& header : config_.headers) {
      const auto value = exchange.header(header);
      if (value && !value->empty()) return std::string(*value);
    }
    if (!exchange.parsed_body.exists()) return std::nullopt;
    const Json& body = exchange.body();
    const auto field = body.is_object() ? body.find(config_.body_field) : body.end();
    if (field == body.end() || !field->is_string() || *field == "") return std::nullopt;
    return field->get<std::string>();
  }

  const CsrfConfig& config_;
  const std::function<bool(Request&)>& skip_;
  bool guard_follows_;  ///< no middleware in between can authenticate the request
  std::vector<std::string> trusted_origins_;
};

}  // namespace

Stages csrf_stage(const StageContext& context) {
  const CsrfConfig& config = context.env.config.csrf;
  if (context.route == nullptr || !config.enabled) return {};
  const Route& route = *context.route;
  const auto& methods = config.methods;
  if (route.options.csrf.skipped() ||
      std::find(methods.begin(), methods.end(), route.method) == methods.end()) {
    return {};
  }
  const bool may_use_session =
      config.mode != CsrfMode::signed_cookie && session_policy(context.env, route);
  if (!may_use_session && (config.mode == CsrfMode::session || config.secret.empty())) {
    context.setting_error(
        "/csrf/enabled: the check needs a session, or csrf.secret: set session.enabled or "
        "csrf.secret, or the option .csrf = false of the routes that it would protect");
  }
  return one_stage<CsrfStage>(context.env, route.options);
}

}  // namespace fw::detail

namespace fw {

std::string Request::csrf_token() const { return detail::make_csrf_token(exchange_); }

}  // namespace fw
