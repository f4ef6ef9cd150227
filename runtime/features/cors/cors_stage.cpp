// CORS headers and responses to preflights (docs/cors.md).
#include "features/cors/cors_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/origin.hpp"
#include "chain/stages.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kAnyOrigin = "*";
constexpr std::string_view kVary = "Origin";

/// The allowed origins, from a valid configuration.
class AllowedOrigins {
 public:
  explicit AllowedOrigins(const CorsConfig& config)
      : any_(allows_any(config)), credentials_(config.credentials) {
    for (const std::string& origin : config.origins) {
      origins_.push_back(base::parse_origin(origin).value_or(origin));
    }
  }

  /// Sets the fields of an allowed origin. Browsers accept no "*" with credentials.
  bool allow(Exchange& exchange) const {
    const auto origin = exchange.header("origin");
    const bool is_wildcard = any_ && !credentials_;
    if (!origin || (!is_wildcard && !contains(*origin))) return false;
    OutgoingResponse& response = exchange.outgoing;
    // The origin is valid, because it is the value of a field.
    response.set_valid_field("access-control-allow-origin", is_wildcard ? kAnyOrigin : *origin);
    if (credentials_) response.set_valid_field("access-control-allow-credentials", "true");
    return true;
  }

 private:
  bool contains(std::string_view origin) const {
    if (any_) return base::parse_origin(origin).has_value();
    return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
  }

  bool any_;
  bool credentials_;
  std::vector<std::string> origins_;
};

class CorsStage : public Stage {
 public:
  explicit CorsStage(const CorsConfig& config) : origins_(config) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    exchange.outgoing.has_cors = true;
    origins_.allow(exchange);
    // Vary is added last, because the application may replace the field.
    try {
      next(exchange);
    } catch (...) {
      exchange.outgoing.add_vary(kVary);
      throw;
    }
    exchange.outgoing.add_vary(kVary);
  }

 private:
  AllowedOrigins origins_;
};

class PreflightStage : public Stage {
 public:
  explicit PreflightStage(const CorsConfig& config)
      : origins_(config),
        methods_(fmt::format("{}", fmt::join(config.methods, ", "))),
        headers_(fmt::format("{}", fmt::join(config.headers, ", "))),
        max_age_(std::to_string(config.max_age)) {}

  void run(Exchange& exchange, const NextStages&) const override {
    OutgoingResponse& response = exchange.outgoing;
    if (origins_.allow(exchange)) {
      if (!methods_.empty()) response.set_field("access-control-allow-methods", methods_);
      if (!headers_.empty()) response.set_field("access-control-allow-headers", headers_);
      response.set_field("access-control-max-age", max_age_);
    }
    response.add_vary(kVary);
    response.status = 204;
    response.end();
  }

 private:
  AllowedOrigins origins_;
  std::string methods_;
  std::string headers_;
  std::string max_age_;
};

void replace(std::vector<std::string>& values, const TextList& declared) {
  if (declared.empty()) return;
  values.clear();
  for (const Text& value : declared) values.push_back(value.str());
}

/// The global configuration with the overrides of a route.
CorsConfig merge_cors(const CorsConfig& global, const CorsOverride& route) {
  CorsConfig merged = global;
  merged.enabled = route.enabled.value_or(global.enabled);
  replace(merged.origins, route.origins);
  replace(merged.methods, route.methods);
  replace(merged.headers, route.headers);
  merged.credentials = route.credentials.value_or(global.credentials);
  merged.max_age = route.max_age.value_or(global.max_age);
  return merged;
}

CorsConfig config_of(const StageContext& context) {
  const CorsConfig& global = context.env.config.cors;
  if (context.route == nullptr) return global;
  return merge_cors(global, context.route->options.override_.cors);
}

/// Without a list of its own, pages may also send the field with the CSRF token.
CorsConfig with_csrf_header(CorsConfig config, const CsrfConfig& csrf) {
  if (csrf.enabled && !csrf.headers.empty() && config.headers == CorsConfig().headers) {
    config.headers.push_back(csrf.headers.front());
  }
  return config;
}

}  // namespace

bool allows_any(const CorsConfig& config) {
  return std::find(config.origins.begin(), config.origins.end(), kAnyOrigin) !=
         config.origins.end();
}

std::string_view vary_of_cors(const StageContext& context) {
  return config_of(context).enabled ? kVary : std::string_view();
}

std::optional<std::string_view> announced_method(Exchange& exchange) {
  if (exchange.head.method != "OPTIONS" || !exchange.header("origin")) return std::nullopt;
  return exchange.header("access-control-request-method");
}

Stages cors_stage(const StageContext& context) {
  const CorsConfig config = config_of(context);
  if (!config.enabled) return {};
  return one_stage<CorsStage>(config);
}

Stages preflight_stage(const StageContext& context) {
  const CorsConfig config = config_of(context);
  if (!config.enabled) return {};
  if (config.credentials && allows_any(config)) {
    const Route* route = context.route;
    const std::string name = route == nullptr ? "cors" : source_of(*route) + ": " + name_of(*route);
    context.env.logger.warn(
        name +
        " allows credentials for the origins [\"*\"], so that every site can act as the user who "
        "visits it; list the origins in cors.origins");
  }
  return one_stage<PreflightStage>(with_csrf_header(config, context.env.config.csrf));
}

}  // namespace fw::detail
