// The kinds of configuration values: the description of valid values, the reader and the writer of
// each kind. The table of keys assigns a kind to every key. Objects are in object_kinds.hpp.
#pragma once

#include <fairway/config.hpp>
#include <fairway/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/ip_network.hpp"

namespace fw::settings {

template <class T>
struct ValueCodec {
  std::string_view expectation;
  bool (*read)(T&, const Json&);
  Json (*write)(const T&) = [](const T& value) -> Json { return value; };
};

/// "auto" is no value.
template <class T, bool (*kRead)(T&, const Json&)>
constexpr ValueCodec<std::optional<T>> or_auto(std::string_view expectation) {
  return {expectation,
          [](std::optional<T>& target, const Json& value) {
            T read{};
            if (value == "auto") {
              target.reset();
            } else if (kRead(read, value)) {
              target = read;
            } else {
              return false;
            }
            return true;
          },
          [](const std::optional<T>& value) -> Json { return value ? Json(*value) : "auto"; }};
}

inline bool read_boolean(bool& target, const Json& value) {
  if (!value.is_boolean()) return false;
  target = value;
  return true;
}
inline constexpr ValueCodec<bool> kBoolean{"true or false", read_boolean};
inline constexpr auto kBooleanOrAuto = or_auto<bool, read_boolean>("\"auto\", true or false");

inline constexpr ValueCodec<std::string> kString{"a string",
                                                 [](std::string& target, const Json& value) {
                                                   if (!value.is_string()) return false;
                                                   target = value;
                                                   return true;
                                                 }};

template <class T, T kMin, T kMax>
bool read_whole_number(T& target, const Json& value) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
    return false;
  }
  const auto number = value.get<std::int64_t>();
  if (number < std::int64_t{kMin} || number > std::int64_t{kMax}) return false;
  target = static_cast<T>(number);
  return true;
}

template <class T, T kMin, T kMax>
constexpr ValueCodec<T> whole_number(std::string_view expectation) {
  return {expectation, read_whole_number<T, kMin, kMax>};
}

inline constexpr auto kPort = whole_number<int, 0, 65'535>("a whole number from 0 to 65535");
inline constexpr auto kMilliseconds = whole_number<std::int64_t, 0, 2'147'483'647>(
    "a whole number of milliseconds from 0 to 2147483647");
inline constexpr auto kDuration = whole_number<std::int64_t, 1, 2'147'483'647>(
    "a whole number of milliseconds from 1 to 2147483647");
inline constexpr auto kPreflightAge =
    whole_number<int, 0, 2'147'483'647>("a whole number of seconds from 0 to 2147483647");
inline constexpr auto kWindow =
    whole_number<int, 1, 2'147'483>("a whole number of seconds from 1 to 2147483");
inline constexpr auto kCount = whole_number<int, 1, 1'000'000>("a whole number from 1 to 1000000");
inline constexpr auto kCountOrNone =
    whole_number<int, 0, 1'000'000>("a whole number from 0 to 1000000, where 0 is no limit");
inline constexpr auto kEntries =
    whole_number<int, 1, 1'000'000'000>("a whole number from 1 to 1000000000");
inline constexpr auto kGzipLevel = whole_number<int, 1, 9>("a whole number from 1 to 9");
inline constexpr auto kBrotliLevel = whole_number<int, 0, 11>("a whole number from 0 to 11");
inline constexpr auto kZstdLevel = whole_number<int, 1, 19>("a whole number from 1 to 19");
inline constexpr auto kConnections = whole_number<int, 1, 1'000>("a whole number from 1 to 1000");
inline constexpr auto kStreams = whole_number<int, 1, 10'000>("a whole number from 1 to 10000");
inline constexpr auto kRestarts =
    whole_number<int, 0, 1'000'000>("a whole number from 0 to 1000000");

inline constexpr ValueCodec<double> kRatio{"a number from 0 to 1",
                                           [](double& target, const Json& value) {
                                             if (!value.is_number()) return false;
                                             const auto number = value.get<double>();
                                             if (!(number >= 0 && number <= 1)) return false;
                                             target = number;
                                             return true;
                                           }};

/// The names of the values of an enumeration, in order.
template <class Enumeration, const auto& kNames>
constexpr ValueCodec<Enumeration> one_of(std::string_view expectation) {
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

inline constexpr ValueCodec<ByteSize> kSize{
    "a number of bytes, or a string such as \"512kb\" (b, kb, mb, gb)",
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

/// A number of processes or threads; "auto" is 0.
inline constexpr ValueCodec<int> kCountOrAuto{
    "\"auto\" or a whole number from 1 to 1024",
    [](int& target, const Json& value) {
      if (value == "auto") {
        target = 0;
        return true;
      }
      return read_whole_number<int, 1, 1'024>(target, value);
    },
    [](const int& value) -> Json { return value == 0 ? Json("auto") : Json(value); }};

inline constexpr ValueCodec<std::string> kFileMode{
    "file permissions as an octal string such as \"0660\"",
    [](std::string& target, const Json& value) {
      if (!value.is_string()) return false;
      const auto& text = value.get_ref<const std::string&>();
      if (text.size() < 3 || text.size() > 4 || (text.size() == 4 && text[0] != '0')) return false;
      if (text.find_first_not_of("01234567") != std::string::npos) return false;
      target = text;
      return true;
    }};

inline constexpr const char* kInvalidRequestIds[] = {"error", "replace"};
inline constexpr auto kInvalidRequestId =
    one_of<InvalidRequestId, kInvalidRequestIds>("error or replace");

inline constexpr ValueCodec<TrustProxy> kTrustProxy{
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
        return item.is_string() && (item == base::kUnixClients ||
                                    base::IpNetwork::parse(item.get_ref<const std::string&>()));
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

/// Of a list or an object.
inline bool has_only_strings(const Json& value) {
  return std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
}

inline constexpr ValueCodec<std::vector<std::string>> kStrings{
    "a list of strings", [](std::vector<std::string>& target, const Json& value) {
      if (!value.is_array() || !has_only_strings(value)) return false;
      target = value.get<std::vector<std::string>>();
      return true;
    }};

inline constexpr ValueCodec<AuthSchemes> kAuthSchemes{
    "a string, or a list of strings that is not empty",
    [](AuthSchemes& target, const Json& value) {
      if (value.is_string()) {
        target = AuthSchemes(value.get<std::string>());
        return true;
      }
      std::vector<std::string> names;
      if (!kStrings.read(names, value) || names.empty()) return false;
      target = AuthSchemes(std::move(names));
      return true;
    },
    [](const AuthSchemes& value) -> Json {
      if (value.names().size() == 1) return value.names().front();
      return value.names();
    }};

inline constexpr ValueCodec<std::map<std::string, std::string>> kStringMap{
    "an object of strings", [](std::map<std::string, std::string>& target, const Json& value) {
      if (!value.is_object() || !has_only_strings(value)) return false;
      target = value.get<std::map<std::string, std::string>>();
      return true;
    }};

inline constexpr ValueCodec<LogLevel> kLogLevel{
    "one of trace, debug, info, warn, error, fatal, silent",
    [](LogLevel& target, const Json& value) {
      if (!value.is_string()) return false;
      const auto level = parse_log_level(value.get_ref<const std::string&>());
      if (level) target = *level;
      return level.has_value();
    },
    [](const LogLevel& value) -> Json { return to_string(value); }};

inline constexpr ValueCodec<LogLevel> kAccessLevel{
    "info or debug",
    [](LogLevel& target, const Json& value) {
      if (value != "info" && value != "debug") return false;
      target = value == "info" ? LogLevel::info : LogLevel::debug;
      return true;
    },
    [](const LogLevel& value) -> Json { return to_string(value); }};

inline constexpr const char* kPrettyColors[] = {"auto", "always", "never"};
inline constexpr auto kPrettyColor = one_of<PrettyColor, kPrettyColors>("auto, always or never");

inline constexpr const char* kEngines[] = {"auto", "epoll", "httplib"};
inline constexpr auto kEngine = one_of<HttpEngine, kEngines>("auto, epoll or httplib");

inline constexpr auto kSeconds =
    whole_number<std::int64_t, 1, 2'147'483'647>("a whole number of seconds from 1 to 2147483647");
inline constexpr auto kIdLength =
    whole_number<int, 16, 128>("a whole number of bytes from 16 to 128");

inline constexpr ValueCodec<CookieSecure> kCookieSecure{
    "\"auto\", true or false",
    [](CookieSecure& target, const Json& value) {
      if (value == "auto") {
        target = CookieSecure::automatic;
      } else if (value.is_boolean()) {
        target = value.get<bool>() ? CookieSecure::always : CookieSecure::never;
      } else {
        return false;
      }
      return true;
    },
    [](const CookieSecure& value) -> Json {
      if (value == CookieSecure::automatic) return "auto";
      return value == CookieSecure::always;
    }};

inline constexpr ValueCodec<SameSite> kSameSite{
    "Strict, Lax or None",
    [](SameSite& target, const Json& value) {
      if (!value.is_string()) return false;
      const auto name = base::lower_case(value.get_ref<const std::string&>());
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

inline constexpr auto kMaxAge =
    or_auto<std::int64_t, read_whole_number<std::int64_t, 0, 2'147'483'647>>(
        "\"auto\", or a whole number of seconds from 0 to 2147483647");

inline constexpr const char* kCsrfModes[] = {"auto", "session", "signed-cookie"};
inline constexpr auto kCsrfMode = one_of<CsrfMode, kCsrfModes>("auto, session or signed-cookie");

inline constexpr const char* kEntityTagModes[] = {"off", "weak", "strong"};
inline constexpr auto kEntityTags = one_of<EntityTags, kEntityTagModes>("off, weak or strong");

inline constexpr const char* kStoreTypes[] = {"default", "memory", "redis"};
inline constexpr auto kStoreType = one_of<StoreType, kStoreTypes>("default, memory or redis");

inline constexpr const char* kTraceEncodings[] = {"json", "protobuf"};
inline constexpr auto kTraceEncoding = one_of<TraceEncoding, kTraceEncodings>("json or protobuf");

inline constexpr const char* kSecurityPresets[] = {"basic", "strict", "custom"};
inline constexpr auto kSecurityPreset =
    one_of<SecurityPreset, kSecurityPresets>("basic, strict or custom");
inline constexpr const char* kStoreErrorPolicies[] = {"allow", "deny"};
inline constexpr auto kStoreErrorPolicy =
    one_of<StoreErrorPolicy, kStoreErrorPolicies>("allow or deny");

// A function is set in code, after all layers have been read, and is written as the default.
inline constexpr ValueCodec<RateLimitKey> kRateLimitKey{
    "ip or user",
    [](RateLimitKey& target, const Json& value) {
      if (value != "ip" && value != "user") return false;
      target = value.get<std::string>();
      return true;
    },
    [](const RateLimitKey& value) -> Json {
      return value.function() ? RateLimitKey().name() : value.name();
    }};

inline constexpr const char* kAsPreset = "preset";

inline constexpr ValueCodec<SecurityHeader> kSecurityHeader{
    "preset, true, false or the value of the header",
    [](SecurityHeader& target, const Json& value) {
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
    },
    [](const SecurityHeader& value) -> Json {
      switch (value.mode()) {
        case SecurityHeader::Mode::preset:
          return kAsPreset;
        case SecurityHeader::Mode::value:
          return value.value();
        default:
          return value.mode() == SecurityHeader::Mode::on;
      }
    }};

template <const auto& kNames>
bool read_name(std::string& target, const Json& value) {
  const bool is_known =
      std::ranges::any_of(kNames, [&](const char* name) { return value == name; });
  if (is_known) target = value;
  return is_known;
}

inline constexpr const char* kTlsVersions[] = {"1.2", "1.3"};
inline constexpr ValueCodec<std::string> kTlsVersion{R"("1.2" or "1.3")", read_name<kTlsVersions>};

inline constexpr const char* kClientCertificateModes[] = {"optional", "required"};
inline constexpr ValueCodec<std::string> kClientCertificateMode{R"("optional" or "required")",
                                                                read_name<kClientCertificateModes>};

/// Functions are set in code, where there is nothing to print.
inline constexpr ValueCodec<RetryDelay> kRetryDelay{
    kMilliseconds.expectation,
    [](RetryDelay& target, const Json& value) {
      std::int64_t milliseconds = 0;
      if (!kMilliseconds.read(milliseconds, value)) return false;
      target = milliseconds;
      return true;
    },
    [](const RetryDelay& value) -> Json { return value.fixed(); }};

inline constexpr ValueCodec<Json> kObject{"an object", [](Json& target, const Json& value) {
                                            if (!value.is_object()) return false;
                                            target.merge_patch(value);
                                            return true;
                                          }};

}  // namespace fw::settings
