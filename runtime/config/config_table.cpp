#include "config/config_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "base/ascii.hpp"
#include "config/protection_values.hpp"
#include "config/proxy_targets.hpp"
#include "exchange/trusted_proxies.hpp"

namespace fw::detail {
namespace {

// Each kind of value: how it is read from JSON and how it is written back.

template <class T>
struct Kind {
  std::string_view expectation;
  bool (*read)(T&, const Json&);
  Json (*write)(const T&);
};

constexpr Kind<bool> kBoolean{"true or false",
                              [](bool& target, const Json& value) {
                                if (!value.is_boolean()) return false;
                                target = value;
                                return true;
                              },
                              [](const bool& value) -> Json { return value; }};

constexpr Kind<std::string> kText{"a text",
                                  [](std::string& target, const Json& value) {
                                    if (!value.is_string()) return false;
                                    target = value;
                                    return true;
                                  },
                                  [](const std::string& value) -> Json { return value; }};

template <class T, T kLeast, T kMost>
bool read_whole_number(T& target, const Json& value) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
    return false;
  }
  const auto number = value.get<std::int64_t>();
  if (number < std::int64_t{kLeast} || number > std::int64_t{kMost}) return false;
  target = static_cast<T>(number);
  return true;
}

template <class T, T kLeast, T kMost>
constexpr Kind<T> whole_number(std::string_view expectation) {
  return {expectation, read_whole_number<T, kLeast, kMost>,
          [](const T& value) -> Json { return value; }};
}

constexpr auto kPort = whole_number<int, 0, 65'535>("a whole number from 0 to 65535");
constexpr auto kMilliseconds = whole_number<std::int64_t, 0, 2'147'483'647>(
    "a whole number of milliseconds from 0 to 2147483647");
constexpr auto kDuration = whole_number<std::int64_t, 1, 2'147'483'647>(
    "a whole number of milliseconds from 1 to 2147483647");
constexpr auto kPreflightAge =
    whole_number<int, 0, 2'147'483'647>("a whole number of seconds from 0 to 2147483647");
constexpr auto kWindow =
    whole_number<int, 1, 2'147'483>("a whole number of seconds from 1 to 2147483");
constexpr auto kCount = whole_number<int, 1, 1'000'000>("a whole number from 1 to 1000000");
constexpr auto kCountOrNone =
    whole_number<int, 0, 1'000'000>("a whole number from 0 to 1000000, where 0 is no limit");
constexpr auto kEntries =
    whole_number<int, 1, 1'000'000'000>("a whole number from 1 to 1000000000");
constexpr auto kConnections = whole_number<int, 1, 1'000>("a whole number from 1 to 1000");
constexpr auto kRestarts = whole_number<int, 0, 1'000'000>("a whole number from 0 to 1000000");

/// The names of an enumeration's values, in their order.
template <class Enumeration, const auto& kNames>
constexpr Kind<Enumeration> one_of(std::string_view expectation) {
  return {expectation,
          [](Enumeration& target, const Json& value) {
            for (std::size_t i = 0; i < std::size(kNames); ++i) {
              if (value != kNames[i]) continue;
              target = static_cast<Enumeration>(i);
              return true;
            }
            return false;
          },
          [](const Enumeration& value) -> Json { return kNames[static_cast<std::size_t>(value)]; }};
}

constexpr Kind<ByteSize> kSize{"a number of bytes, or a text such as \"512kb\" (b, kb, mb, gb)",
                               [](ByteSize& target, const Json& value) {
                                 ByteSize size;
                                 if (value.is_number_unsigned()) {
                                   size = ByteSize(value.get<std::uint64_t>());
                                 } else if (value.is_string()) {
                                   size = ByteSize(value.get<std::string>());
                                 } else {
                                   return false;
                                 }
                                 try {
                                   size.bytes();
                                 } catch (const std::invalid_argument&) {
                                   return false;
                                 }
                                 target = size;
                                 return true;
                               },
                               [](const ByteSize& value) -> Json { return value.text(); }};

/// A number of processes or threads, where 0 is written "auto".
constexpr Kind<int> kCountOrAuto{
    "\"auto\" or a whole number from 1 to 1024",
    [](int& target, const Json& value) {
      if (value == "auto") {
        target = 0;
        return true;
      }
      return read_whole_number<int, 1, 1'024>(target, value);
    },
    [](const int& value) -> Json { return value == 0 ? Json("auto") : Json(value); }};

constexpr Kind<std::string> kFileMode{
    "file permissions as an octal text such as \"0660\"",
    [](std::string& target, const Json& value) {
      if (!value.is_string()) return false;
      const auto& text = value.get_ref<const std::string&>();
      if (text.size() < 3 || text.size() > 4 || (text.size() == 4 && text[0] != '0')) return false;
      if (text.find_first_not_of("01234567") != std::string::npos) return false;
      target = text;
      return true;
    },
    [](const std::string& value) -> Json { return value; }};

constexpr const char* kInvalidRequestIds[] = {"error", "replace"};
constexpr auto kInvalidRequestId = one_of<InvalidRequestId, kInvalidRequestIds>("error or replace");

constexpr Kind<TrustProxy> kTrustProxy{
    "true, false, a number of proxies from 0 to 100, or a list of addresses and networks such as "
    "\"10.0.0.0/8\", \"::1\" or \"unix\"",
    [](TrustProxy& target, const Json& value) {
      if (value.is_boolean()) {
        target = value.get<bool>();
        return true;
      }
      if (value.is_number()) {
        int hops = 0;
        if (!read_whole_number<int, 0, 100>(hops, value)) return false;
        target = hops;
        return true;
      }
      if (!value.is_array()) return false;
      const bool holds_networks = std::all_of(value.begin(), value.end(), [](const Json& item) {
        return item.is_string() &&
               (item == kUnixClients || IpNetwork::parse(item.get_ref<const std::string&>()));
      });
      if (holds_networks) target = value.get<std::vector<std::string>>();
      return holds_networks;
    },
    [](const TrustProxy& value) -> Json {
      switch (value.mode()) {
        case TrustProxy::Mode::hops:
          return value.hops();
        case TrustProxy::Mode::networks:
          return value.networks();
        default:
          return value.mode() == TrustProxy::Mode::all;
      }
    }};

constexpr Kind<std::vector<std::string>> kTexts{
    "a list of texts",
    [](std::vector<std::string>& target, const Json& value) {
      if (!value.is_array()) return false;
      std::vector<std::string> texts;
      for (const Json& item : value) {
        if (!item.is_string()) return false;
        texts.push_back(item);
      }
      target = std::move(texts);
      return true;
    },
    [](const std::vector<std::string>& value) -> Json { return value; }};

constexpr Kind<std::map<std::string, std::string>> kTextMap{
    "an object of texts",
    [](std::map<std::string, std::string>& target, const Json& value) {
      if (!value.is_object()) return false;
      std::map<std::string, std::string> texts;
      for (const auto& [name, item] : value.items()) {
        if (!item.is_string()) return false;
        texts.emplace(name, item);
      }
      target = std::move(texts);
      return true;
    },
    [](const std::map<std::string, std::string>& value) -> Json { return value; }};

constexpr Kind<LogLevel> kLogLevel{"one of trace, debug, info, warn, error, fatal, silent",
                                   [](LogLevel& target, const Json& value) {
                                     if (!value.is_string()) return false;
                                     const auto level =
                                         parse_log_level(value.get_ref<const std::string&>());
                                     if (level) target = *level;
                                     return level.has_value();
                                   },
                                   [](const LogLevel& value) -> Json { return to_string(value); }};

constexpr Kind<LogLevel> kAccessLevel{
    "info or debug",
    [](LogLevel& target, const Json& value) {
      if (value != "info" && value != "debug") return false;
      target = value == "info" ? LogLevel::info : LogLevel::debug;
      return true;
    },
    [](const LogLevel& value) -> Json { return to_string(value); }};

constexpr const char* kPrettyColors[] = {"auto", "always", "never"};
constexpr auto kPrettyColor = one_of<PrettyColor, kPrettyColors>("auto, always or never");

constexpr const char* kEngines[] = {"auto", "epoll", "httplib"};
constexpr auto kEngine = one_of<HttpEngine, kEngines>("auto, epoll or httplib");

constexpr auto kSeconds =
    whole_number<std::int64_t, 1, 2'147'483'647>("a whole number of seconds from 1 to 2147483647");
constexpr auto kIdLength = whole_number<int, 16, 128>("a whole number of bytes from 16 to 128");

constexpr Kind<CookieSecure> kCookieSecure{"\"auto\", true or false",
                                           [](CookieSecure& target, const Json& value) {
                                             if (value == "auto") {
                                               target = CookieSecure::automatic;
                                             } else if (value.is_boolean()) {
                                               target = value.get<bool>() ? CookieSecure::always
                                                                          : CookieSecure::never;
                                             } else {
                                               return false;
                                             }
                                             return true;
                                           },
                                           [](const CookieSecure& value) -> Json {
                                             if (value == CookieSecure::automatic) return "auto";
                                             return value == CookieSecure::always;
                                           }};

constexpr Kind<SameSite> kSameSite{"Strict, Lax or None",
                                   [](SameSite& target, const Json& value) {
                                     if (!value.is_string()) return false;
                                     const auto name =
                                         base::lower_case(value.get_ref<const std::string&>());
                                     if (name == "strict") {
                                       target = SameSite::strict;
                                     } else if (name == "lax") {
                                       target = SameSite::lax;
                                     } else if (name == "none") {
                                       target = SameSite::none;
                                     } else {
                                       return false;
                                     }
                                     return true;
                                   },
                                   [](const SameSite& value) -> Json {
                                     if (value == SameSite::strict) return "Strict";
                                     return value == SameSite::lax ? "Lax" : "None";
                                   }};

constexpr Kind<std::optional<std::int64_t>> kMaxAge{
    "\"auto\", or a whole number of seconds from 0 to 2147483647",
    [](std::optional<std::int64_t>& target, const Json& value) {
      if (value == "auto") {
        target.reset();
        return true;
      }
      return read_whole_number<std::int64_t, 0, 2'147'483'647>(target.emplace(), value);
    },
    [](const std::optional<std::int64_t>& value) -> Json {
      return value ? Json(*value) : Json("auto");
    }};

constexpr const char* kCsrfModes[] = {"auto", "session", "signed-cookie"};
constexpr auto kCsrfMode = one_of<CsrfMode, kCsrfModes>("auto, session or signed-cookie");

constexpr Kind<CsrfOriginConfig> kCsrfOrigin{
    "false, or {\"trustedOrigins\": a list of texts}",
    [](CsrfOriginConfig& target, const Json& value) {
      if (value == false) {
        target = {};
        return true;
      }
      if (!value.is_object() || value.size() != value.count("trustedOrigins")) return false;
      CsrfOriginConfig config{.enabled = true};
      if (value.contains("trustedOrigins") &&
          !kTexts.read(config.trusted_origins, value["trustedOrigins"])) {
        return false;
      }
      target = std::move(config);
      return true;
    },
    [](const CsrfOriginConfig& value) -> Json {
      if (!value.enabled) return false;
      return {{"trustedOrigins", value.trusted_origins}};
    }};
constexpr Kind<EntityTags> kEntityTags{"off, weak or strong",
                                       [](EntityTags& target, const Json& value) {
                                         if (value == "off") {
                                           target = EntityTags::off;
                                         } else if (value == "weak") {
                                           target = EntityTags::weak;
                                         } else if (value == "strong") {
                                           target = EntityTags::strong;
                                         } else {
                                           return false;
                                         }
                                         return true;
                                       },
                                       [](const EntityTags& value) -> Json {
                                         if (value == EntityTags::off) return "off";
                                         return value == EntityTags::weak ? "weak" : "strong";
                                       }};

constexpr const char* kStoreTypes[] = {"default", "memory", "redis"};
constexpr auto kStoreType = one_of<StoreType, kStoreTypes>("default, memory or redis");

constexpr const char* kSecurityPresets[] = {"basic", "strict", "custom"};
constexpr auto kSecurityPreset =
    one_of<SecurityPreset, kSecurityPresets>("basic, strict or custom");
constexpr const char* kStoreErrorPolicies[] = {"allow", "deny"};
constexpr auto kStoreErrorPolicy = one_of<StoreErrorPolicy, kStoreErrorPolicies>("allow or deny");

// A function is set in code only, where no layer comes after it: it is written as the default.
constexpr Kind<RateLimitKey> kRateLimitKey{"ip or user",
                                           [](RateLimitKey& target, const Json& value) {
                                             if (value != "ip" && value != "user") return false;
                                             target = value.get<std::string>();
                                             return true;
                                           },
                                           [](const RateLimitKey& value) -> Json {
                                             return value.function() ? RateLimitKey().name()
                                                                     : value.name();
                                           }};

constexpr Kind<SecurityHeader> kSecurityHeader{"preset, true, false or the value of the header",
                                               read_security_header, write_security_header};
constexpr Kind<Hsts> kHsts{
    "preset, true, false or an object with maxAge (seconds), includeSubDomains and preload",
    read_hsts, write_hsts};
constexpr Kind<ContentSecurityPolicy> kContentSecurityPolicy{
    "false, a policy, or an object with directives and reportOnly", read_content_security_policy,
    write_content_security_policy};

constexpr Kind<std::vector<MiddlewareConfig>> kMiddlewares{
    "a list of names, or of objects {\"name\": text, \"options\": any}",
    [](std::vector<MiddlewareConfig>& target, const Json& value) {
      if (!value.is_array()) return false;
      std::vector<MiddlewareConfig> middlewares;
      for (const Json& item : value) {
        if (item.is_string()) {
          middlewares.push_back({.name = item});
          continue;
        }
        if (!item.is_object() || !item.contains("name") || !item["name"].is_string()) return false;
        if (item.size() != (item.contains("options") ? 2U : 1U)) return false;
        middlewares.push_back({.name = item["name"], .options = item.value("options", Json())});
      }
      target = std::move(middlewares);
      return true;
    },
    [](const std::vector<MiddlewareConfig>& value) -> Json {
      Json list = Json::array();
      for (const MiddlewareConfig& item : value) {
        Json entry = {{"name", item.name}};
        if (!item.options.is_null()) entry["options"] = item.options;
        list.push_back(std::move(entry));
      }
      return list;
    }};

constexpr Kind<std::vector<OpenApiServerConfig>> kServers{
    "a list of URLs, or of objects {\"url\": text, \"description\": text}",
    [](std::vector<OpenApiServerConfig>& target, const Json& value) {
      if (!value.is_array()) return false;
      std::vector<OpenApiServerConfig> servers;
      for (const Json& item : value) {
        if (item.is_string()) {
          servers.push_back({.url = item});
          continue;
        }
        if (!item.is_object() || !item.contains("url") || !item["url"].is_string()) return false;
        const Json description = item.value("description", Json(""));
        if (!description.is_string()) return false;
        if (item.size() != (item.contains("description") ? 2U : 1U)) return false;
        servers.push_back({.url = item["url"], .description = description});
      }
      target = std::move(servers);
      return true;
    },
    [](const std::vector<OpenApiServerConfig>& value) -> Json {
      Json list = Json::array();
      for (const OpenApiServerConfig& item : value) {
        Json entry = {{"url", item.url}};
        if (!item.description.empty()) entry["description"] = item.description;
        list.push_back(std::move(entry));
      }
      return list;
    }};

constexpr Kind<std::vector<FetchProxyTarget>> kProxyTargets{
    "a list of objects with \"name\", \"baseURL\" and the other members of a proxy target",
    read_proxy_targets, write_proxy_targets};

/// Functions are set in code, where there is nothing to print.
constexpr Kind<RetryDelay> kRetryDelay{
    kMilliseconds.expectation,
    [](RetryDelay& target, const Json& value) {
      std::int64_t milliseconds = 0;
      if (!kMilliseconds.read(milliseconds, value)) return false;
      target = milliseconds;
      return true;
    },
    [](const RetryDelay& value) -> Json { return value.fixed(); }};

constexpr Kind<Json> kObject{"an object",
                             [](Json& target, const Json& value) {
                               if (!value.is_object()) return false;
                               target.merge_patch(value);
                               return true;
                             },
                             [](const Json& value) -> Json { return value; }};

template <class T, class Member>
ConfigKey key(std::string_view pointer, const Kind<T>& kind, Member member) {
  return {pointer, kind.expectation,
          [read = kind.read, member](Config& config, const Json& value) {
            return read(member(config), value);
          },
          [write = kind.write, member](const Config& config) { return write(member(config)); }};
}

}  // namespace

std::span<const ConfigKey> config_keys() {
// A member's path, usable on a Config and on a const Config.
#define FW_MEMBER(path) [](auto& config) -> auto& { return config.path; }
// The keys of a CookieConfig, of what is kept in memory, and of a StoreConfig.
#define FW_COOKIE_KEYS(pointer, member)                                 \
  key(pointer "/path", kText, FW_MEMBER(member.path)),                  \
      key(pointer "/domain", kText, FW_MEMBER(member.domain)),          \
      key(pointer "/sameSite", kSameSite, FW_MEMBER(member.same_site)), \
      key(pointer "/secure", kCookieSecure, FW_MEMBER(member.secure)),  \
      key(pointer "/httpOnly", kBoolean, FW_MEMBER(member.http_only)),  \
      key(pointer "/maxAge", kMaxAge, FW_MEMBER(member.max_age)),       \
      key(pointer "/priority", kText, FW_MEMBER(member.priority)),      \
      key(pointer "/partitioned", kBoolean, FW_MEMBER(member.partitioned))
#define FW_MEMORY_KEYS(pointer, path)                                \
  key(pointer "/maxEntries", kEntries, FW_MEMBER(path.max_entries)), \
      key(pointer "/maxMemory", kSize, FW_MEMBER(path.max_memory))
#define FW_STORE_KEYS(pointer, member)                                          \
  key(pointer "/type", kStoreType, FW_MEMBER(member.type)),                     \
      key(pointer "/url", kText, FW_MEMBER(member.url)),                        \
      key(pointer "/keyPrefix", kText, FW_MEMBER(member.key_prefix)),           \
      key(pointer "/timeout", kDuration, FW_MEMBER(member.timeout)),            \
      key(pointer "/connections", kConnections, FW_MEMBER(member.connections)), \
      key(pointer "/caFile", kText, FW_MEMBER(member.ca_file))
  static const std::vector<ConfigKey> keys{
      key("/host", kText, FW_MEMBER(host)),
      key("/port", kPort, FW_MEMBER(port)),
      key("/trustProxy", kTrustProxy, FW_MEMBER(trust_proxy)),
      key("/response/wrap", kBoolean, FW_MEMBER(response.wrap)),
      key("/response/hideInternalErrors", kBoolean, FW_MEMBER(response.hide_internal_errors)),
      key("/response/logErrors/unknownErrors", kBoolean,
          FW_MEMBER(response.log_errors.unknown_errors)),
      key("/response/logErrors/http5xx", kBoolean, FW_MEMBER(response.log_errors.http5xx)),
      key("/response/logErrors/http4xx", kBoolean, FW_MEMBER(response.log_errors.http4xx)),
      key("/cors/enabled", kBoolean, FW_MEMBER(cors.enabled)),
      key("/cors/origins", kTexts, FW_MEMBER(cors.origins)),
      key("/cors/methods", kTexts, FW_MEMBER(cors.methods)),
      key("/cors/headers", kTexts, FW_MEMBER(cors.headers)),
      key("/cors/credentials", kBoolean, FW_MEMBER(cors.credentials)),
      key("/cors/maxAge", kPreflightAge, FW_MEMBER(cors.max_age)),
      key("/securityHeaders/enabled", kBoolean, FW_MEMBER(security_headers.enabled)),
      key("/securityHeaders/preset", kSecurityPreset, FW_MEMBER(security_headers.preset)),
      key("/securityHeaders/contentTypeOptions", kSecurityHeader,
          FW_MEMBER(security_headers.content_type_options)),
      key("/securityHeaders/referrerPolicy", kSecurityHeader,
          FW_MEMBER(security_headers.referrer_policy)),
      key("/securityHeaders/frameOptions", kSecurityHeader,
          FW_MEMBER(security_headers.frame_options)),
      key("/securityHeaders/hsts", kHsts, FW_MEMBER(security_headers.hsts)),
      key("/securityHeaders/contentSecurityPolicy", kContentSecurityPolicy,
          FW_MEMBER(security_headers.content_security_policy)),
      key("/securityHeaders/permissionsPolicy", kSecurityHeader,
          FW_MEMBER(security_headers.permissions_policy)),
      key("/securityHeaders/crossOriginOpenerPolicy", kSecurityHeader,
          FW_MEMBER(security_headers.cross_origin_opener_policy)),
      key("/securityHeaders/crossOriginEmbedderPolicy", kSecurityHeader,
          FW_MEMBER(security_headers.cross_origin_embedder_policy)),
      key("/securityHeaders/crossOriginResourcePolicy", kSecurityHeader,
          FW_MEMBER(security_headers.cross_origin_resource_policy)),
      key("/securityHeaders/headers", kTextMap, FW_MEMBER(security_headers.headers)),
      key("/securityHeaders/skipPaths", kTexts, FW_MEMBER(security_headers.skip_paths)),
      key("/rateLimit/enabled", kBoolean, FW_MEMBER(rate_limit.enabled)),
      key("/rateLimit/max", kCount, FW_MEMBER(rate_limit.max)),
      key("/rateLimit/window", kWindow, FW_MEMBER(rate_limit.window)),
      key("/rateLimit/message", kText, FW_MEMBER(rate_limit.message)),
      key("/rateLimit/keyBy", kRateLimitKey, FW_MEMBER(rate_limit.key_by)),
      key("/rateLimit/onStoreError", kStoreErrorPolicy, FW_MEMBER(rate_limit.on_store_error)),
      key("/multipart/enabled", kBoolean, FW_MEMBER(multipart.enabled)),
      key("/multipart/maxFiles", kCount, FW_MEMBER(multipart.max_files)),
      key("/multipart/maxFileSize", kSize, FW_MEMBER(multipart.max_file_size)),
      key("/multipart/allowedMimeTypes", kTexts, FW_MEMBER(multipart.allowed_mime_types)),
      key("/requestId/enabled", kBoolean, FW_MEMBER(request_id.enabled)),
      key("/requestId/header", kText, FW_MEMBER(request_id.header)),
      key("/requestId/responseHeader", kText, FW_MEMBER(request_id.response_header)),
      key("/requestId/onInvalid", kInvalidRequestId, FW_MEMBER(request_id.on_invalid)),
      key("/requestContext/enabled", kBoolean, FW_MEMBER(request_context.enabled)),
      key("/bodyParser/enabled", kBoolean, FW_MEMBER(body_parser.enabled)),
      key("/bodyParser/maxBodySize", kSize, FW_MEMBER(body_parser.max_body_size)),
      key("/bodyParser/maxValues", kCount, FW_MEMBER(body_parser.max_values)),
      key("/bodyParser/maxFormFields", kCount, FW_MEMBER(body_parser.max_form_fields)),
      key("/accessLog/enabled", kBoolean, FW_MEMBER(access_log.enabled)),
      key("/accessLog/level", kAccessLevel, FW_MEMBER(access_log.level)),
      key("/accessLog/skipPaths", kTexts, FW_MEMBER(access_log.skip_paths)),
      key("/accessLog/skipPathPrefixes", kTexts, FW_MEMBER(access_log.skip_path_prefixes)),
      key("/accessLog/slowThreshold", kMilliseconds, FW_MEMBER(access_log.slow_threshold)),
      key("/accessLog/warnOn4xx", kBoolean, FW_MEMBER(access_log.warn_on4xx)),
      key("/accessLog/logResponseSize", kBoolean, FW_MEMBER(access_log.log_response_size)),
      key("/logger/level", kLogLevel, FW_MEMBER(logger.level)),
      key("/logger/pretty", kBoolean, FW_MEMBER(logger.pretty)),
      key("/logger/prettyColor", kPrettyColor, FW_MEMBER(logger.pretty_color)),
      key("/logger/redactKeys", kTexts, FW_MEMBER(logger.redact_keys)),
      key("/logger/redactPaths", kTexts, FW_MEMBER(logger.redact_paths)),
      key("/logger/redactValue", kText, FW_MEMBER(logger.redact_value)),
      key("/logger/file", kText, FW_MEMBER(logger.file)),
      key("/middlewares", kMiddlewares, FW_MEMBER(middlewares)),
      key("/openapi/enabled", kBoolean, FW_MEMBER(openapi.enabled)),
      key("/openapi/jsonPath", kText, FW_MEMBER(openapi.json_path)),
      key("/openapi/docsPath", kText, FW_MEMBER(openapi.docs_path)),
      key("/openapi/info/title", kText, FW_MEMBER(openapi.info.title)),
      key("/openapi/info/version", kText, FW_MEMBER(openapi.info.version)),
      key("/openapi/info/summary", kText, FW_MEMBER(openapi.info.summary)),
      key("/openapi/info/description", kText, FW_MEMBER(openapi.info.description)),
      key("/openapi/info/termsOfService", kText, FW_MEMBER(openapi.info.terms_of_service)),
      key("/openapi/info/license/name", kText, FW_MEMBER(openapi.info.license.name)),
      key("/openapi/info/license/url", kText, FW_MEMBER(openapi.info.license.url)),
      key("/openapi/info/license/identifier", kText, FW_MEMBER(openapi.info.license.identifier)),
      key("/openapi/info/contact/name", kText, FW_MEMBER(openapi.info.contact.name)),
      key("/openapi/info/contact/url", kText, FW_MEMBER(openapi.info.contact.url)),
      key("/openapi/info/contact/email", kText, FW_MEMBER(openapi.info.contact.email)),
      key("/openapi/servers", kServers, FW_MEMBER(openapi.servers)),
      key("/openapi/guardSecurityMap", kTextMap, FW_MEMBER(openapi.guard_security_map)),
      key("/openapi/securitySchemes", kObject, FW_MEMBER(openapi.security_schemes)),
      key("/locale/default", kText, FW_MEMBER(locale.default_language)),
      key("/locale/supported", kTexts, FW_MEMBER(locale.supported)),
      key("/locale/directory", kText, FW_MEMBER(locale.directory)),
      key("/shutdown/timeout", kMilliseconds, FW_MEMBER(shutdown.timeout)),
      key("/server/engine", kEngine, FW_MEMBER(server.engine)),
      key("/server/unixSocket", kText, FW_MEMBER(server.unix_socket)),
      key("/server/unixSocketMode", kFileMode, FW_MEMBER(server.unix_socket_mode)),
      key("/server/backlog", kCount, FW_MEMBER(server.backlog)),
      key("/server/reusePort", kBoolean, FW_MEMBER(server.reuse_port)),
      key("/server/keepAliveTimeout", kDuration, FW_MEMBER(server.keep_alive_timeout)),
      key("/server/headersTimeout", kDuration, FW_MEMBER(server.headers_timeout)),
      key("/server/requestTimeout", kDuration, FW_MEMBER(server.request_timeout)),
      key("/server/sendTimeout", kDuration, FW_MEMBER(server.send_timeout)),
      key("/server/minDataRate", kSize, FW_MEMBER(server.min_data_rate)),
      key("/server/maxHeaderSize", kSize, FW_MEMBER(server.max_header_size)),
      key("/server/maxHeaderCount", kCount, FW_MEMBER(server.max_header_count)),
      key("/server/maxQueryParameters", kCount, FW_MEMBER(server.max_query_parameters)),
      key("/server/maxCookies", kCount, FW_MEMBER(server.max_cookies)),
      key("/server/maxRequestsPerConnection", kCountOrNone,
          FW_MEMBER(server.max_requests_per_connection)),
      key("/server/maxConnections", kCount, FW_MEMBER(server.max_connections)),
      key("/server/maxConnectionsPerAddress", kCountOrNone,
          FW_MEMBER(server.max_connections_per_address)),
      key("/server/minWorkers", kCountOrAuto, FW_MEMBER(server.min_workers)),
      key("/server/maxWorkers", kCount, FW_MEMBER(server.max_workers)),
      key("/server/workerIdleTimeout", kDuration, FW_MEMBER(server.worker_idle_timeout)),
      key("/server/maxBufferedBytes", kSize, FW_MEMBER(server.max_buffered_bytes)),
      key("/server/trimInterval", kMilliseconds, FW_MEMBER(server.trim_interval)),
      key("/router/caseSensitive", kBoolean, FW_MEMBER(router.case_sensitive)),
      key("/cluster/enabled", kBoolean, FW_MEMBER(cluster.enabled)),
      key("/cluster/workers", kCountOrAuto, FW_MEMBER(cluster.workers)),
      key("/cluster/autoRestart", kBoolean, FW_MEMBER(cluster.auto_restart)),
      key("/cluster/maxRestarts", kRestarts, FW_MEMBER(cluster.max_restarts)),
      key("/cluster/restartWindow", kDuration, FW_MEMBER(cluster.restart_window)),
      key("/cluster/restartDelay", kDuration, FW_MEMBER(cluster.restart_delay)),
      key("/cluster/maxRestartDelay", kDuration, FW_MEMBER(cluster.max_restart_delay)),
      key("/cluster/startTimeout", kDuration, FW_MEMBER(cluster.start_timeout)),
      FW_STORE_KEYS("/store", store),
      FW_MEMORY_KEYS("/store", store),
      FW_STORE_KEYS("/rateLimit/store", rate_limit.store),
      FW_MEMORY_KEYS("/rateLimit/store", rate_limit.store),
      key("/cache/enabled", kBoolean, FW_MEMBER(cache.enabled)),
      key("/cache/defaultTtl", kMilliseconds, FW_MEMBER(cache.default_ttl)),
      FW_MEMORY_KEYS("/cache", cache),
      FW_STORE_KEYS("/cache/store", cache.store),
      key("/session/enabled", kBoolean, FW_MEMBER(session.enabled)),
      key("/session/name", kText, FW_MEMBER(session.name)),
      key("/session/ttl", kSeconds, FW_MEMBER(session.ttl)),
      key("/session/rolling", kBoolean, FW_MEMBER(session.rolling)),
      key("/session/autoCommit", kBoolean, FW_MEMBER(session.auto_commit)),
      key("/session/idLength", kIdLength, FW_MEMBER(session.id_length)),
      FW_COOKIE_KEYS("/session/cookie", session.cookie),
      FW_STORE_KEYS("/session/store", session.store),
      FW_MEMORY_KEYS("/session/store", session.store),
      key("/csrf/enabled", kBoolean, FW_MEMBER(csrf.enabled)),
      key("/csrf/mode", kCsrfMode, FW_MEMBER(csrf.mode)),
      key("/csrf/secret", kText, FW_MEMBER(csrf.secret)),
      key("/csrf/methods", kTexts, FW_MEMBER(csrf.methods)),
      key("/csrf/headers", kTexts, FW_MEMBER(csrf.headers)),
      key("/csrf/bodyField", kText, FW_MEMBER(csrf.body_field)),
      key("/csrf/name", kText, FW_MEMBER(csrf.name)),
      FW_COOKIE_KEYS("/csrf/cookie", csrf.cookie),
      key("/csrf/fetchMetadata", kBoolean, FW_MEMBER(csrf.fetch_metadata)),
      key("/csrf/origin", kCsrfOrigin, FW_MEMBER(csrf.origin)),
      key("/fetch/timeout", kDuration, FW_MEMBER(fetch.timeout)),
      key("/fetch/retry", kRestarts, FW_MEMBER(fetch.retry)),
      key("/fetch/retryDelay", kRetryDelay, FW_MEMBER(fetch.retry_delay)),
      key("/fetch/propagateHeaders", kTexts, FW_MEMBER(fetch.propagate_headers)),
      key("/fetch/traceContext", kBoolean, FW_MEMBER(fetch.trace_context)),
      key("/fetch/proxy", kProxyTargets, FW_MEMBER(fetch.proxy)),
      key("/fetch/maxSize", kSize, FW_MEMBER(fetch.max_size)),
      key("/fetch/tls/caFile", kText, FW_MEMBER(fetch.tls.ca_file)),
      key("/fetch/tls/certificateFile", kText, FW_MEMBER(fetch.tls.certificate_file)),
      key("/fetch/tls/keyFile", kText, FW_MEMBER(fetch.tls.key_file)),
      key("/etag", kEntityTags, FW_MEMBER(etag)),
      key("/app", kObject, FW_MEMBER(app)),
  };
#undef FW_COOKIE_KEYS
#undef FW_STORE_KEYS
#undef FW_MEMORY_KEYS
#undef FW_MEMBER
  return keys;
}

}  // namespace fw::detail
