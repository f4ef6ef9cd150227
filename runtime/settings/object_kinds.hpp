// The kinds of configuration values that are objects or lists of objects: a row for each member,
// from which the reader and the writer derive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings/value_kinds.hpp"

namespace fw::settings {

enum class Presence {
  required,  ///< an object without the member is invalid
  optional,
  if_set  ///< optional, and not written if it has its default value
};

/// A row: a member of the objects that set a Record.
template <class Record>
struct ObjectMember {
  const char* name;
  Presence presence;
  bool (*read)(Record&, const Json&);
  Json (*write)(const Record&);
};

template <class Record, class T>
Record record_of(T Record::*);

/// The member that `kMember`, or a member of it, has in C++.
template <const auto& kCodec, auto kMember, auto... kInside>
constexpr auto member(const char* name, Presence presence = Presence::optional) {
  using Record = decltype(record_of(kMember));
  return ObjectMember<Record>{
      name, presence,
      [](Record& record, const Json& value) {
        return kCodec.read(((record.*kMember).*....*kInside), value);
      },
      [](const Record& record) { return kCodec.write(((record.*kMember).*....*kInside)); }};
}

/// Returns false for another value, a member that is unknown or invalid, and without a required
/// one. The record may have changed then.
template <const auto& kMembers, class Record>
bool read_object(Record& target, const Json& value) {
  if (!value.is_object()) return false;
  std::size_t known = 0;
  for (const ObjectMember<Record>& each : kMembers) {
    const auto found = value.find(each.name);
    if (found == value.end()) {
      if (each.presence == Presence::required) return false;
      continue;
    }
    if (!each.read(target, *found)) return false;
    ++known;
  }
  return known == value.size();
}

template <const auto& kMembers, class Record>
Json write_object(const Record& record) {
  Json object = Json::object();
  for (const ObjectMember<Record>& each : kMembers) {
    Json value = each.write(record);
    if (each.presence == Presence::if_set && value == each.write(Record())) continue;
    object[each.name] = std::move(value);
  }
  return object;
}

/// `is_short`: an item may be a string, which sets the first member.
template <const auto& kMembers, class Record, bool is_short = false>
constexpr ValueCodec<std::vector<Record>> list_of(std::string_view expectation) {
  return {expectation,
          [](std::vector<Record>& target, const Json& value) {
            if (!value.is_array()) return false;
            std::vector<Record> records;
            for (const Json& item : value) {
              Record& record = records.emplace_back();
              const bool is_read = is_short && item.is_string()
                                       ? kMembers.front().read(record, item)
                                       : read_object<kMembers>(record, item);
              if (!is_read) return false;
            }
            target = std::move(records);
            return true;
          },
          [](const std::vector<Record>& value) -> Json {
            Json list = Json::array();
            for (const Record& record : value) list.push_back(write_object<kMembers>(record));
            return list;
          }};
}

// Members that only objects have.

inline constexpr ValueCodec<Json> kAnyValue{"any value", [](Json& target, const Json& value) {
                                              target = value;
                                              return true;
                                            }};

inline constexpr ValueCodec<std::string> kName{
    "a string that is not empty", [](std::string& target, const Json& value) {
      return kString.read(target, value) && !target.empty();
    }};

inline Json number_of(const Milliseconds& time) { return time.count(); }
inline Json number_of(int number) { return number; }
/// Functions are set in code, where there is nothing to print.
inline Json number_of(const RetryDelay& delay) {
  return delay.is_fixed() ? Json(delay.fixed()) : Json();
}

/// A number from `kMin`; empty if there is none.
template <class T, std::int64_t kMin>
inline constexpr ValueCodec<std::optional<T>> kOptionalNumber{
    "a whole number",
    [](std::optional<T>& target, const Json& value) {
      std::int64_t number = 0;
      if (!read_whole_number<std::int64_t, kMin, 2'147'483'647>(number, value)) return false;
      target.emplace(static_cast<T>(number));
      return true;
    },
    [](const std::optional<T>& value) { return value ? number_of(*value) : Json(); }};

inline constexpr ValueCodec<FetchHeaders> kFetchHeaders{
    "an object of strings",
    [](FetchHeaders& target, const Json& value) {
      if (!value.is_object() || !has_only_strings(value)) return false;
      for (const auto& [name, item] : value.items()) target.set(name, item.get<std::string>());
      return true;
    },
    [](const FetchHeaders& headers) {
      Json written;
      for (const auto& [name, value] : headers) written[name] = value;
      return written;
    }};

inline constexpr ValueCodec<FetchProxyHeaders> kProxyHeaders{
    "an object of strings, numbers, booleans and null",
    [](FetchProxyHeaders& target, const Json& value) {
      const bool is_valid =
          value.is_object() && std::none_of(value.begin(), value.end(),
                                            [](const Json& item) { return item.is_structured(); });
      if (is_valid) target = FetchProxyHeaders(value);
      return is_valid;
    },
    [](const FetchProxyHeaders& headers) { return headers.values(); }};

inline constexpr const char* kImmutableFileNames[] = {"hashed", "all", "none"};
inline constexpr auto kImmutableFiles =
    one_of<ImmutableFiles, kImmutableFileNames>("hashed, all or none");

// The objects.

inline constexpr std::array kMiddlewareMembers = {
    member<kString, &MiddlewareConfig::name>("name", Presence::required),
    member<kAnyValue, &MiddlewareConfig::options>("options", Presence::if_set)};
inline constexpr auto kMiddlewares = list_of<kMiddlewareMembers, MiddlewareConfig, true>(
    "a list of names, or of objects {\"name\": string, \"options\": any}");

inline constexpr std::array kServerMembers = {
    member<kString, &OpenApiServerConfig::url>("url", Presence::required),
    member<kString, &OpenApiServerConfig::description>("description", Presence::if_set)};
inline constexpr auto kServers = list_of<kServerMembers, OpenApiServerConfig, true>(
    "a list of URLs, or of objects {\"url\": string, \"description\": string}");

inline constexpr std::array kStaticMembers = {
    member<kString, &StaticConfig::prefix>("prefix", Presence::required),
    member<kString, &StaticConfig::root>("root", Presence::required),
    member<kString, &StaticConfig::options, &StaticOptions::index>("index"),
    member<kString, &StaticConfig::options, &StaticOptions::fallback>("fallback"),
    member<kImmutableFiles, &StaticConfig::options, &StaticOptions::immutable>("immutable"),
    member<kString, &StaticConfig::options, &StaticOptions::cache_control>("cacheControl"),
    member<kBoolean, &StaticConfig::options, &StaticOptions::precompressed>("precompressed"),
    member<kBoolean, &StaticConfig::options, &StaticOptions::dot_files>("dotFiles"),
    member<kStringMap, &StaticConfig::options, &StaticOptions::media_types>("mediaTypes")};
inline constexpr auto kStaticFiles = list_of<kStaticMembers, StaticConfig>(
    "a list of objects with \"prefix\", \"root\" and the other members of static files");

inline constexpr std::array kProxyMembers = {
    member<kName, &FetchProxyTarget::name>("name", Presence::required),
    member<kName, &FetchProxyTarget::base_url>("baseURL", Presence::required),
    member<kFetchHeaders, &FetchProxyTarget::headers>("headers", Presence::if_set),
    member<kStrings, &FetchProxyTarget::forward_headers>("forwardHeaders", Presence::if_set),
    member<kProxyHeaders, &FetchProxyTarget::default_inject_headers>("defaultInjectHeaders",
                                                                     Presence::if_set),
    member<kBoolean, &FetchProxyTarget::allow_authorization_forward>("allowAuthorizationForward",
                                                                     Presence::if_set),
    member<kBoolean, &FetchProxyTarget::x_forwarded>("xForwarded", Presence::if_set),
    member<kOptionalNumber<Milliseconds, 1>, &FetchProxyTarget::timeout>("timeout",
                                                                         Presence::if_set),
    member<kOptionalNumber<int, 0>, &FetchProxyTarget::retry>("retry", Presence::if_set),
    member<kOptionalNumber<RetryDelay, 0>, &FetchProxyTarget::retry_delay>("retryDelay",
                                                                           Presence::if_set)};
inline constexpr auto kProxyTargets = list_of<kProxyMembers, FetchProxyTarget>(
    "a list of objects with \"name\", \"baseURL\" and the other members of a proxy target");

inline constexpr std::array kTlsCertificateMembers = {
    member<kString, &TlsCertificateConfig::certificate>("certificate", Presence::required),
    member<kString, &TlsCertificateConfig::key>("key", Presence::required)};
inline constexpr ValueCodec<std::map<std::string, TlsCertificateConfig>> kTlsHosts{
    "an object of host names, each with an object {\"certificate\": string, \"key\": string}",
    [](std::map<std::string, TlsCertificateConfig>& target, const Json& value) {
      if (!value.is_object()) return false;
      std::map<std::string, TlsCertificateConfig> hosts;
      for (const auto& [name, item] : value.items()) {
        if (!read_object<kTlsCertificateMembers>(hosts[name], item)) return false;
      }
      target = std::move(hosts);
      return true;
    },
    [](const std::map<std::string, TlsCertificateConfig>& value) {
      Json hosts = Json::object();
      for (const auto& [name, item] : value) {
        hosts[name] = write_object<kTlsCertificateMembers>(item);
      }
      return hosts;
    }};

inline constexpr std::array kCsrfOriginMembers = {
    member<kStrings, &CsrfOriginConfig::trusted_origins>("trustedOrigins")};
inline constexpr ValueCodec<CsrfOriginConfig> kCsrfOrigin{
    "false, or {\"trustedOrigins\": a list of strings}",
    [](CsrfOriginConfig& target, const Json& value) {
      CsrfOriginConfig config{.enabled = value != false};
      if (config.enabled && !read_object<kCsrfOriginMembers>(config, value)) return false;
      target = std::move(config);
      return true;
    },
    [](const CsrfOriginConfig& value) {
      return value.enabled ? write_object<kCsrfOriginMembers>(value) : Json(false);
    }};

inline constexpr auto kHstsAge =
    whole_number<std::int64_t, 0, 2'147'483'647>("a whole number of seconds from 0 to 2147483647");
inline constexpr std::array kHstsMembers = {
    member<kHstsAge, &HstsOptions::max_age>("maxAge"),
    member<kBoolean, &HstsOptions::include_subdomains>("includeSubDomains"),
    member<kBoolean, &HstsOptions::preload>("preload")};
inline constexpr ValueCodec<Hsts> kHsts{
    "preset, true, false or an object with maxAge (seconds), includeSubDomains and preload",
    [](Hsts& target, const Json& value) {
      HstsOptions options;
      if (value == kAsPreset) {
        target = Hsts();
      } else if (value.is_boolean()) {
        target = value.get<bool>();
      } else if (read_object<kHstsMembers>(options, value)) {
        target = options;
      } else {
        return false;
      }
      return true;
    },
    [](const Hsts& value) -> Json {
      if (!value.enabled()) return kAsPreset;
      return *value.enabled() ? write_object<kHstsMembers>(value.options()) : Json(false);
    }};

/// "default-src" for "default-src" and "defaultSrc".
inline std::string directive_name(std::string_view written) {
  std::string name;
  for (const char c : written) {
    if (c >= 'A' && c <= 'Z') name += '-';
    name += base::to_lower(c);
  }
  return name;
}

/// A policy as a string, or an object of directives. The sources of a directive are a list, one
/// source, or true for none.
inline bool read_directives(ContentSecurityPolicy& target, const Json& value) {
  if (value.is_string()) return kString.read(target.policy, value);
  if (!value.is_object()) return false;
  for (const auto& [name, item] : value.items()) {
    std::vector<std::string> sources;
    if (item.is_string()) {
      sources.push_back(item);
    } else if (item != true && !kStrings.read(sources, item)) {
      return false;
    }
    target.directives.insert_or_assign(directive_name(name), std::move(sources));
  }
  return true;
}

inline constexpr std::array kContentSecurityPolicyMembers = {
    ObjectMember<ContentSecurityPolicy>{"directives", Presence::required, read_directives,
                                        [](const ContentSecurityPolicy& value) {
                                          return value.policy.empty() ? Json(value.directives)
                                                                      : Json(value.policy);
                                        }},
    member<kBoolean, &ContentSecurityPolicy::report_only>("reportOnly")};
inline constexpr ValueCodec<ContentSecurityPolicy> kContentSecurityPolicy{
    "false, a policy, or an object with directives and reportOnly",
    [](ContentSecurityPolicy& target, const Json& value) {
      ContentSecurityPolicy csp;
      const bool is_valid = value == false || kString.read(csp.policy, value) ||
                            read_object<kContentSecurityPolicyMembers>(csp, value);
      if (is_valid) target = std::move(csp);
      return is_valid;
    },
    [](const ContentSecurityPolicy& value) {
      const bool is_empty = value.policy.empty() && value.directives.empty();
      return is_empty ? Json(false) : write_object<kContentSecurityPolicyMembers>(value);
    }};

}  // namespace fw::settings
