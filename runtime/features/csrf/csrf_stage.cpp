// Rejects forged cross-site requests (docs/csrf.md).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/ascii.hpp"
#include "base/origin.hpp"
#include "chain/stages.hpp"
#include "features/cors/cors_stage.hpp"
#include "features/csrf/csrf_token.hpp"
#include "features/session/session_policy.hpp"

namespace fw::detail {
namespace {

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
