// Security-related response headers (docs/security-headers.md).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "chain/stages.hpp"
#include "http/field_lines.hpp"

namespace fw::detail {
namespace {

/// A header that presets set.
struct PresetHeader {
  SecurityHeader SecurityHeadersConfig::* member;
  std::string_view name;
  std::string_view usual_value;
  SecurityPreset least;  ///< the least strict preset that has it; `custom` if none has
};

constexpr PresetHeader kHeaders[] = {
    {&SecurityHeadersConfig::content_type_options, "x-content-type-options", "nosniff",
     SecurityPreset::basic},
    {&SecurityHeadersConfig::referrer_policy, "referrer-policy", "strict-origin-when-cross-origin",
     SecurityPreset::basic},
    {&SecurityHeadersConfig::frame_options, "x-frame-options", "SAMEORIGIN", SecurityPreset::basic},
    {&SecurityHeadersConfig::permissions_policy, "permissions-policy",
     "camera=(), geolocation=(), microphone=(), payment=(), usb=()", SecurityPreset::strict},
    {&SecurityHeadersConfig::cross_origin_opener_policy, "cross-origin-opener-policy",
     "same-origin", SecurityPreset::strict},
    {&SecurityHeadersConfig::cross_origin_embedder_policy, "cross-origin-embedder-policy",
     "require-corp", SecurityPreset::custom},
    {&SecurityHeadersConfig::cross_origin_resource_policy, "cross-origin-resource-policy",
     "same-origin", SecurityPreset::strict},
};

bool has(SecurityPreset preset, SecurityPreset least) {
  return preset != SecurityPreset::custom && least != SecurityPreset::custom && preset >= least;
}

std::string_view value_of(const PresetHeader& header, const SecurityHeadersConfig& config) {
  const SecurityHeader& setting = config.*header.member;
  switch (setting.mode()) {
    case SecurityHeader::Mode::off:
      return {};
    case SecurityHeader::Mode::on:
      return header.usual_value;
    case SecurityHeader::Mode::value:
      return setting.value();
    case SecurityHeader::Mode::preset:
      break;
  }
  return has(config.preset, header.least) ? header.usual_value : std::string_view();
}

std::string policy_of(const ContentSecurityPolicy& csp) {
  if (!csp.policy.empty()) return csp.policy;
  std::vector<std::string> directives;
  for (const auto& [name, sources] : csp.directives) {
    directives.push_back(sources.empty() ? name
                                         : fmt::format("{} {}", name, fmt::join(sources, " ")));
  }
  return fmt::format("{}", fmt::join(directives, "; "));
}

http::Fields fields_of(const SecurityHeadersConfig& config) {
  http::Fields fields;
  for (const auto& [name, value] : config.headers) fields.add(name, value);
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty() && !fields.find(name)) fields.add(name, value);
  };
  for (const PresetHeader& header : kHeaders) add(header.name, value_of(header, config));
  add(config.content_security_policy.report_only ? "content-security-policy-report-only"
                                                 : "content-security-policy",
      policy_of(config.content_security_policy));
  return fields;
}

/// Empty if it must not be sent.
std::string transport_security(const SecurityHeadersConfig& config) {
  if (!config.hsts.enabled().value_or(has(config.preset, SecurityPreset::strict))) return "";
  const HstsOptions& hsts = config.hsts.options();
  return fmt::format("max-age={}{}{}", hsts.max_age,
                     hsts.include_subdomains ? "; includeSubDomains" : "",
                     hsts.preload ? "; preload" : "");
}

class SecurityHeadersStage : public Stage {
 public:
  explicit SecurityHeadersStage(const SecurityHeadersConfig& config)
      : fields_(fields_of(config)),
        transport_security_(transport_security(config)),
        skip_paths_(config.skip_paths) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (http::is_valid_field(fields_[i].name, fields_[i].value)) fields_.mark_valid(i);
    }
  }

  void run(Exchange& exchange, const NextStages& next) const override {
    if (!is_skipped(exchange.path)) add(exchange);
    next(exchange);
  }

 private:
  /// Runs first, so that error responses have the headers and the application can replace them.
  void add(Exchange& exchange) const {
    OutgoingResponse& response = exchange.outgoing;
    const auto is_set = [&](const http::Field& field) { return response.field(field.name); };
    if (std::none_of(fields_.begin(), fields_.end(), is_set)) {
      response.fields.add(fields_);
    } else {
      for (const auto& [name, value] : fields_) {
        if (!response.field(name)) response.fields.add(name, value);
      }
    }
    if (!transport_security_.empty() && exchange.protocol() == "https") {
      response.set_field("strict-transport-security", transport_security_);
    }
  }

  bool is_skipped(std::string_view path) const {
    return std::any_of(skip_paths_.begin(), skip_paths_.end(), [&](std::string_view pattern) {
      if (!pattern.ends_with('*')) return path == pattern;
      return path.starts_with(pattern.substr(0, pattern.size() - 1));
    });
  }

  http::Fields fields_;
  std::string transport_security_;
  const std::vector<std::string>& skip_paths_;
};

}  // namespace

Stages security_headers_stage(const StageContext& context) {
  const SecurityHeadersConfig& config = context.env.config.security_headers;
  const Route* route = context.route;
  if (!config.enabled || (route != nullptr && route->options.security_headers.skipped())) return {};
  return one_stage<SecurityHeadersStage>(config);
}

}  // namespace fw::detail
