// Configuration of `cors`, `securityHeaders`, `rateLimit` and `multipart` (docs/cors.md,
// docs/security-headers.md, docs/rate-limit.md, docs/uploads.md).
#pragma once

#include <fairway/text.hpp>
#include <fairway/units.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fw {

class Request;

/// `cors`: the origins that may read responses in a browser. `override_.cors` of a route replaces
/// single members.
struct CorsConfig {
  bool enabled = true;  ///< false: no CORS headers, and preflights are ordinary requests
  /// Such as "https://app.example", without a path; "*" means all origins.
  std::vector<std::string> origins = {"*"};
  /// Methods that pages of these origins may use.
  std::vector<std::string> methods = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};
  /// Request headers that pages of these origins may set.
  std::vector<std::string> headers = {"Content-Type", "Authorization", "X-Request-Id"};
  bool credentials = false;  ///< whether pages may send cookies and read the responses
  int max_age = 86'400;      ///< seconds for which a browser may cache the response to a preflight
};

/// The default headers of `securityHeaders`.
enum class SecurityPreset {
  basic,   ///< X-Content-Type-Options, Referrer-Policy, X-Frame-Options
  strict,  ///< basic, and HSTS, Permissions-Policy, Cross-Origin-Opener- and -Resource-Policy
  custom,  ///< none
};

/// One header of `securityHeaders`: as in the preset, off, on with its standard value, or with
/// another value.
///
///   config.security_headers.frame_options = "DENY";
///   config.security_headers.referrer_policy = false;
class SecurityHeader {
 public:
  /// Which of the forms was given.
  enum class Mode { preset, off, on, value };

  SecurityHeader() = default;  ///< as in the preset
  /// On, with the standard value, or off.
  template <std::same_as<bool> B>
  SecurityHeader(B enabled) : mode_(enabled ? Mode::on : Mode::off) {}
  /// On, with this value.
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  SecurityHeader(const T& value) : mode_(Mode::value), value_(std::string_view(value)) {}

  /// @{
  /// What was given, for the server.
  Mode mode() const { return mode_; }
  const std::string& value() const { return value_; }
  /// @}

 private:
  Mode mode_ = Mode::preset;
  std::string value_;
};

/// Strict-Transport-Security. `preload` requires `include_subdomains` and a `max_age` of at least a
/// year.
struct HstsOptions {
  std::int64_t max_age = 15'552'000;  ///< seconds: 180 days
  bool include_subdomains = false;    ///< HTTPS for all subdomains, too
  bool preload = false;               ///< allows the lists that are built into browsers
};

/// `securityHeaders.hsts`: as in the preset, on, off, or options.
class Hsts {
 public:
  Hsts() = default;  ///< as in the preset
  /// On, with the default options, or off.
  template <std::same_as<bool> B>
  Hsts(B enabled) : enabled_(enabled) {}
  /// On, with these options.
  Hsts(HstsOptions options) : enabled_(true), options_(options) {}

  /// Not set: as in the preset.
  std::optional<bool> enabled() const { return enabled_; }
  /// Meaningful if the header is on.
  const HstsOptions& options() const { return options_; }

 private:
  std::optional<bool> enabled_;
  HstsOptions options_;
};

/// `securityHeaders.contentSecurityPolicy`: a policy as a string or as directives, not both. None
/// by default.
struct ContentSecurityPolicy {
  std::string policy = {};  ///< "default-src 'self'; frame-ancestors 'none'"
  /// {{"default-src", {"'self'"}}, {"upgrade-insecure-requests", {}}}
  std::map<std::string, std::vector<std::string>> directives = {};
  bool report_only = false;  ///< browsers report violations and block nothing
};

/// `securityHeaders`: response headers that restrict what browsers do. A value that a handler sets
/// takes precedence; `.security_headers = false` disables all of them for a route.
struct SecurityHeadersConfig {
  bool enabled = false;                                ///< false: none of them is sent
  SecurityPreset preset = SecurityPreset::basic;       ///< the headers below that are not set
  SecurityHeader content_type_options = {};            ///< X-Content-Type-Options; on: nosniff
  SecurityHeader referrer_policy = {};                 ///< on: strict-origin-when-cross-origin
  SecurityHeader frame_options = {};                   ///< X-Frame-Options; on: SAMEORIGIN
  Hsts hsts = {};                                      ///< sent on https only: see `trust_proxy`
  ContentSecurityPolicy content_security_policy = {};  ///< empty: not sent
  SecurityHeader permissions_policy = {};  ///< on: no camera, location, microphone, payment and USB
  SecurityHeader cross_origin_opener_policy = {};    ///< on: same-origin
  SecurityHeader cross_origin_embedder_policy = {};  ///< on: require-corp
  SecurityHeader cross_origin_resource_policy = {};  ///< on: same-origin
  std::map<std::string, std::string> headers = {};   ///< additional headers, by name
  /// Paths without these headers: exact, or prefixes that end in `*`.
  std::vector<std::string> skip_paths = {};
};

/// How `rateLimit` identifies clients: "ip", "user" or a function of the request.
///
/// The function runs before the middlewares, so nothing that the client sent has been checked. A
/// client that can choose its key, or do without one, has no limit: use only what the function
/// verifies, and the address for all other requests.
///
///   config.rate_limit.key_by = [](fw::Request& req) {
///     const auto customer = customers.find_by_key(req.header("x-api-key").value_or(""));
///     return customer ? "customer:" + customer->id : fw::RateLimitKey::address(req);
///   };
class RateLimitKey {
 public:
  using Function = std::function<std::string(Request&)>;  ///< returns the key of a request

  /// The client's address according to `trustProxy`: an IPv4 address, or the /64 network of an IPv6
  /// address.
  RateLimitKey() = default;
  /// "ip", or "user" for the identity that `fw::auth` found or else the address. Another name is a
  /// startup error.
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  RateLimitKey(const T& name) : name_(std::string_view(name)) {}
  /// A function, see above. Requests with an empty key are not limited.
  template <class F>
    requires std::is_invocable_r_v<std::string, F&, Request&>
  RateLimitKey(F function) : name_(), function_(std::move(function)) {}

  /// The key that "ip" has for a request: the client's address, or its /64 network.
  static std::string address(const Request& req);

  const std::string& name() const { return name_; }  ///< empty for a function
  /// Empty for a name.
  const Function& function() const { return function_; }

 private:
  std::string name_ = "ip";
  Function function_;
};

/// `multipart`: uploads in forms, which are kept in memory. A route can have its own values in
/// `.multipart`. `bodyParser.maxBodySize` limits the whole body.
struct MultipartConfig {
  bool enabled = false;  ///< for routes without `.multipart.enabled`
  bool fields = false;   ///< for routes without `.multipart.fields`: text fields are the body
  int max_files = 10;    ///< in a form; 413 above it
  ByteSize max_file_size = "10mb";                   ///< of each file; 413 above it
  std::vector<std::string> allowed_mime_types = {};  ///< "image/png", "image/*"; empty: all
};

}  // namespace fw
