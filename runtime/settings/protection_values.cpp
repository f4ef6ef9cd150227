#include "settings/protection_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "options/option_constraints.hpp"

namespace fw::settings {
namespace {

constexpr const char* kAsPreset = "preset";
constexpr std::int64_t kYear = 31'536'000;  // seconds

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), base::is_control);
}

/// Consumes the members of an object; `is_done` if none is left.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}

  const Json* take(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end()) return nullptr;
    ++taken_;
    return &*found;
  }
  /// Returns false if the member is not a boolean.
  bool take_flag(const char* name, bool& target) {
    const Json* value = take(name);
    if (value == nullptr) return true;
    if (!value->is_boolean()) return false;
    target = value->get<bool>();
    return true;
  }
  bool is_done() const { return taken_ == object_.size(); }

 private:
  const Json& object_;
  std::size_t taken_ = 0;
};

/// "default-src" for "default-src" and "defaultSrc".
std::string directive_name(std::string_view written) {
  std::string name;
  for (const char c : written) {
    if (c >= 'A' && c <= 'Z') name += '-';
    name += base::to_lower(c);
  }
  return name;
}

/// The sources of a directive: a list, one source, or true for none.
std::optional<std::vector<std::string>> sources_of(const Json& value) {
  if (value == true) return std::vector<std::string>();
  if (value.is_string()) return std::vector<std::string>{value};
  if (!value.is_array()) return std::nullopt;
  std::vector<std::string> sources;
  for (const Json& item : value) {
    if (!item.is_string()) return std::nullopt;
    sources.push_back(item);
  }
  return sources;
}

bool read_directives(ContentSecurityPolicy& target, const Json& value) {
  if (value.is_string()) {
    target.policy = value;
    return true;
  }
  if (!value.is_object()) return false;
  for (const auto& [name, item] : value.items()) {
    auto sources = sources_of(item);
    if (!sources) return false;
    target.directives.insert_or_assign(directive_name(name), std::move(*sources));
  }
  return true;
}

void add_field_value_error(std::string_view value, ValueErrors& errors) {
  if (is_field_value(value)) return;
  errors.push_back({"", "the value of a header must not contain control characters"});
}

void add_directive_errors(const ContentSecurityPolicy& csp, ValueErrors& errors) {
  const auto report = [&](std::string message) { errors.push_back({"", std::move(message)}); };
  if (!csp.policy.empty() && !csp.directives.empty()) {
    report("must have either a policy or directives, not both");
  }
  for (const auto& [name, sources] : csp.directives) {
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return base::is_alphanumeric(c) || c == '-';
    });
    if (!is_name) report(fmt::format("'{}' is not the name of a directive", name));
    for (const std::string& source : sources) {
      if (source.find_first_of(";,") == std::string::npos) continue;
      report(fmt::format("'{}' of {} must be one source, without ';' and ','", source, name));
    }
  }
}

/// By the constraints of routes, which may have such lists of their own.
ValueErrors cors_errors(const char* member, const Texts& texts) {
  ValueErrors errors;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const options::Violation& violation :
         options::cors_violations({{member, Texts{texts[i]}}})) {
      errors.push_back({fmt::format("/{}", i), violation.help.empty()
                                                   ? violation.message
                                                   : violation.message + "; " + violation.help});
    }
  }
  return errors;
}

}  // namespace

bool read_security_header(SecurityHeader& target, const Json& value) {
  if (value == kAsPreset) {
    target = SecurityHeader();
  } else if (value.is_boolean()) {
    target = value.get<bool>();
  } else if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
    target = value.get<std::string>();
  } else {
    return false;
  }
  return true;
}

Json write_security_header(const SecurityHeader& value) {
  switch (value.mode()) {
    case SecurityHeader::Mode::preset:
      return kAsPreset;
    case SecurityHeader::Mode::value:
      return value.value();
    default:
      return value.mode() == SecurityHeader::Mode::on;
  }
}

bool read_hsts(Hsts& target, const Json& value) {
  if (value == kAsPreset) {
    target = Hsts();
    return true;
  }
  if (value.is_boolean()) {
    target = value.get<bool>();
    return true;
  }
  if (!value.is_object()) return false;
  HstsOptions options;
  Members members(value);
  if (const Json* age = members.take("maxAge")) {
    if (!age->is_number_integer() || *age < 0 || *age > std::numeric_limits<int>::max())
      return false;
    options.max_age = age->get<std::int64_t>();
  }
  if (!members.take_flag("includeSubDomains", options.include_subdomains) ||
      !members.take_flag("preload", options.preload) || !members.is_done()) {
    return false;
  }
  target = options;
  return true;
}

Json write_hsts(const Hsts& value) {
  if (!value.enabled()) return kAsPreset;
  if (!*value.enabled()) return false;
  return {{"maxAge", value.options().max_age},
          {"includeSubDomains", value.options().include_subdomains},
          {"preload", value.options().preload}};
}

bool read_content_security_policy(ContentSecurityPolicy& target, const Json& value) {
  ContentSecurityPolicy csp;
  if (value.is_string()) {
    csp.policy = value;
  } else if (value.is_object()) {
    Members members(value);
    const Json* directives = members.take("directives");
    if (directives == nullptr || !read_directives(csp, *directives) ||
        !members.take_flag("reportOnly", csp.report_only) || !members.is_done()) {
      return false;
    }
  } else if (value != false) {
    return false;
  }
  target = std::move(csp);
  return true;
}

Json write_content_security_policy(const ContentSecurityPolicy& value) {
  if (value.policy.empty() && value.directives.empty()) return false;
  Json directives = value.policy;
  if (value.policy.empty()) directives = value.directives;
  return {{"directives", std::move(directives)}, {"reportOnly", value.report_only}};
}

ValueErrors cors_origin_errors(const Texts& origins) { return cors_errors("origins", origins); }

ValueErrors cors_method_errors(const Texts& methods) { return cors_errors("methods", methods); }

ValueErrors cors_header_errors(const Texts& names) { return cors_errors("headers", names); }

ValueErrors security_header_errors(const SecurityHeader& header) {
  ValueErrors errors;
  add_field_value_error(header.value(), errors);
  return errors;
}

ValueErrors content_security_policy_errors(const ContentSecurityPolicy& csp) {
  ValueErrors errors;
  add_field_value_error(csp.policy, errors);
  for (const auto& [name, sources] : csp.directives) {
    for (const std::string& source : sources) add_field_value_error(source, errors);
  }
  add_directive_errors(csp, errors);
  return errors;
}

ValueErrors added_header_errors(const std::map<std::string, std::string>& headers) {
  ValueErrors errors;
  for (const auto& [name, value] : headers) {
    if (!base::is_token(name)) {
      errors.push_back({"", fmt::format("'{}' is not the name of a header", name)});
    }
    add_field_value_error(value, errors);
  }
  return errors;
}

ValueErrors hsts_errors(const Hsts& hsts) {
  const HstsOptions& options = hsts.options();
  if (!options.preload || (options.include_subdomains && options.max_age >= kYear)) return {};
  return {
      {"", fmt::format("preload requires includeSubDomains, and a maxAge of at least {}", kYear)}};
}

}  // namespace fw::settings
