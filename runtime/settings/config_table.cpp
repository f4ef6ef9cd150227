#include "settings/config_table.hpp"

#include <array>
#include <type_traits>

#include "settings/object_kinds.hpp"
#include "settings/value_kinds.hpp"

namespace fw::settings {
namespace {

// Functions of a kind and of a check. They are no lambdas in `key`, which would be other ones for
// each member.
template <const auto& kCodec, class T>
bool read_kind(void* target, const Json& value) {
  return kCodec.read(*static_cast<T*>(target), value);
}
template <const auto& kCodec, class T>
Json write_kind(const void* member) {
  return kCodec.write(*static_cast<const T*>(member));
}
template <auto kCheck, class T>
ValueErrors check_kind(const void* member) {
  return kCheck(*static_cast<const T*>(member));
}

/// A row for a member of this kind. Rows are data: functions of each kind, of each check and of
/// each member.
template <const auto& kCodec, auto kCheck = nullptr, class Member>
constexpr ConfigKey key(std::string_view pointer, Member /*member*/) {
  using T = std::remove_cvref_t<std::invoke_result_t<Member, const Config&>>;
  static_assert(std::is_same_v<decltype(kCodec), const ValueCodec<T>&>);
  ConfigKey row{.pointer = pointer,
                .expectation = kCodec.expectation,
                .member = [](const Config& config) -> const void* { return &Member()(config); },
                .read_member = read_kind<kCodec, T>,
                .write_member = write_kind<kCodec, T>,
                .check = nullptr};
  if constexpr (kCheck != nullptr) row.check = check_kind<kCheck, T>;
  return row;
}

// A member's path.
#define FW_MEMBER(path) [](const Config& config) -> const auto& { return config.path; }
// The keys of a CookieConfig, of what is kept in memory, and of a StoreConfig.
#define FW_COOKIE_KEYS(pointer, member)                                                      \
  key<kString, cookie_path_errors>(pointer "/path", FW_MEMBER(member.path)),                 \
      key<kString, cookie_domain_errors>(pointer "/domain", FW_MEMBER(member.domain)),       \
      key<kSameSite>(pointer "/sameSite", FW_MEMBER(member.same_site)),                      \
      key<kCookieSecure>(pointer "/secure", FW_MEMBER(member.secure)),                       \
      key<kBoolean>(pointer "/httpOnly", FW_MEMBER(member.http_only)),                       \
      key<kMaxAge>(pointer "/maxAge", FW_MEMBER(member.max_age)),                            \
      key<kString, cookie_priority_errors>(pointer "/priority", FW_MEMBER(member.priority)), \
      key<kBoolean>(pointer "/partitioned", FW_MEMBER(member.partitioned))
#define FW_MEMORY_LIMIT_KEYS(pointer, path)                          \
  key<kEntries>(pointer "/maxEntries", FW_MEMBER(path.max_entries)), \
      key<kSize>(pointer "/maxMemory", FW_MEMBER(path.max_memory))
#define FW_STORE_KEYS(pointer, member)                                          \
  key<kStoreType>(pointer "/type", FW_MEMBER(member.type)),                     \
      key<kString, redis_url_errors>(pointer "/url", FW_MEMBER(member.url)),    \
      key<kString>(pointer "/keyPrefix", FW_MEMBER(member.key_prefix)),         \
      key<kDuration>(pointer "/timeout", FW_MEMBER(member.timeout)),            \
      key<kConnections>(pointer "/connections", FW_MEMBER(member.connections)), \
      key<kString>(pointer "/caFile", FW_MEMBER(member.ca_file))
constexpr auto kKeys = std::to_array<ConfigKey>({
    key<kString>("/host", FW_MEMBER(host)),
    key<kPort>("/port", FW_MEMBER(port)),
    key<kTrustProxy>("/trustProxy", FW_MEMBER(trust_proxy)),
    key<kBoolean>("/response/wrap", FW_MEMBER(response.wrap)),
    key<kBoolean>("/response/hideInternalErrors", FW_MEMBER(response.hide_internal_errors)),
    key<kBoolean>("/response/logErrors/unknownErrors",
                  FW_MEMBER(response.log_errors.unknown_errors)),
    key<kBoolean>("/response/logErrors/http5xx", FW_MEMBER(response.log_errors.http5xx)),
    key<kBoolean>("/response/logErrors/http4xx", FW_MEMBER(response.log_errors.http4xx)),
    key<kBoolean>("/cors/enabled", FW_MEMBER(cors.enabled)),
    key<kStrings, cors_origin_errors>("/cors/origins", FW_MEMBER(cors.origins)),
    key<kStrings, cors_method_errors>("/cors/methods", FW_MEMBER(cors.methods)),
    key<kStrings, cors_header_errors>("/cors/headers", FW_MEMBER(cors.headers)),
    key<kBoolean>("/cors/credentials", FW_MEMBER(cors.credentials)),
    key<kPreflightAge>("/cors/maxAge", FW_MEMBER(cors.max_age)),
    key<kBoolean>("/securityHeaders/enabled", FW_MEMBER(security_headers.enabled)),
    key<kSecurityPreset>("/securityHeaders/preset", FW_MEMBER(security_headers.preset)),
    key<kSecurityHeader, security_header_errors>("/securityHeaders/contentTypeOptions",
                                                 FW_MEMBER(security_headers.content_type_options)),
    key<kSecurityHeader, security_header_errors>("/securityHeaders/referrerPolicy",
                                                 FW_MEMBER(security_headers.referrer_policy)),
    key<kSecurityHeader, security_header_errors>("/securityHeaders/frameOptions",
                                                 FW_MEMBER(security_headers.frame_options)),
    key<kHsts, hsts_errors>("/securityHeaders/hsts", FW_MEMBER(security_headers.hsts)),
    key<kContentSecurityPolicy, content_security_policy_errors>(
        "/securityHeaders/contentSecurityPolicy",
        FW_MEMBER(security_headers.content_security_policy)),
    key<kSecurityHeader, security_header_errors>("/securityHeaders/permissionsPolicy",
                                                 FW_MEMBER(security_headers.permissions_policy)),
    key<kSecurityHeader, security_header_errors>(
        "/securityHeaders/crossOriginOpenerPolicy",
        FW_MEMBER(security_headers.cross_origin_opener_policy)),
    key<kSecurityHeader, security_header_errors>(
        "/securityHeaders/crossOriginEmbedderPolicy",
        FW_MEMBER(security_headers.cross_origin_embedder_policy)),
    key<kSecurityHeader, security_header_errors>(
        "/securityHeaders/crossOriginResourcePolicy",
        FW_MEMBER(security_headers.cross_origin_resource_policy)),
    key<kStringMap, added_header_errors>("/securityHeaders/headers",
                                         FW_MEMBER(security_headers.headers)),
    key<kStrings, request_path_errors>("/securityHeaders/skipPaths",
                                       FW_MEMBER(security_headers.skip_paths)),
    key<kBoolean>("/rateLimit/enabled", FW_MEMBER(rate_limit.enabled)),
    key<kCount>("/rateLimit/max", FW_MEMBER(rate_limit.max)),
    key<kWindow>("/rateLimit/window", FW_MEMBER(rate_limit.window)),
    key<kString>("/rateLimit/message", FW_MEMBER(rate_limit.message)),
    key<kRateLimitKey>("/rateLimit/keyBy", FW_MEMBER(rate_limit.key_by)),
    key<kStoreErrorPolicy>("/rateLimit/onStoreError", FW_MEMBER(rate_limit.on_store_error)),
    key<kBoolean>("/multipart/enabled", FW_MEMBER(multipart.enabled)),
    key<kBoolean>("/multipart/fields", FW_MEMBER(multipart.fields)),
    key<kCount>("/multipart/maxFiles", FW_MEMBER(multipart.max_files)),
    key<kSize>("/multipart/maxFileSize", FW_MEMBER(multipart.max_file_size)),
    key<kStrings, media_type_errors>("/multipart/allowedMimeTypes",
                                     FW_MEMBER(multipart.allowed_mime_types)),
    key<kBoolean>("/requestId/enabled", FW_MEMBER(request_id.enabled)),
    key<kString, header_name_errors>("/requestId/header", FW_MEMBER(request_id.header)),
    key<kString, header_name_errors>("/requestId/responseHeader",
                                     FW_MEMBER(request_id.response_header)),
    key<kInvalidRequestId>("/requestId/onInvalid", FW_MEMBER(request_id.on_invalid)),
    key<kBoolean>("/requestContext/enabled", FW_MEMBER(request_context.enabled)),
    key<kBoolean>("/requestContext/logUser", FW_MEMBER(request_context.log_user)),
    key<kBoolean>("/bodyParser/enabled", FW_MEMBER(body_parser.enabled)),
    key<kSize>("/bodyParser/maxBodySize", FW_MEMBER(body_parser.max_body_size)),
    key<kCount>("/bodyParser/maxValues", FW_MEMBER(body_parser.max_values)),
    key<kCount>("/bodyParser/maxFormFields", FW_MEMBER(body_parser.max_form_fields)),
    key<kBoolean>("/accessLog/enabled", FW_MEMBER(access_log.enabled)),
    key<kAccessLevel>("/accessLog/level", FW_MEMBER(access_log.level)),
    key<kStrings, request_path_errors>("/accessLog/skipPaths", FW_MEMBER(access_log.skip_paths)),
    key<kStrings, request_path_errors>("/accessLog/skipPathPrefixes",
                                       FW_MEMBER(access_log.skip_path_prefixes)),
    key<kMilliseconds>("/accessLog/slowThreshold", FW_MEMBER(access_log.slow_threshold)),
    key<kBoolean>("/accessLog/warnOn4xx", FW_MEMBER(access_log.warn_on4xx)),
    key<kBoolean>("/accessLog/logResponseSize", FW_MEMBER(access_log.log_response_size)),
    key<kBoolean>("/accessLog/errors", FW_MEMBER(access_log.errors)),
    key<kLogLevel>("/logger/level", FW_MEMBER(logger.level)),
    key<kBoolean>("/logger/pretty", FW_MEMBER(logger.pretty)),
    key<kPrettyColor>("/logger/prettyColor", FW_MEMBER(logger.pretty_color)),
    key<kStrings>("/logger/redactKeys", FW_MEMBER(logger.redact_keys)),
    key<kStrings>("/logger/redactPaths", FW_MEMBER(logger.redact_paths)),
    key<kString>("/logger/redactValue", FW_MEMBER(logger.redact_value)),
    key<kString>("/logger/file", FW_MEMBER(logger.file)),
    key<kMiddlewares>("/middlewares", FW_MEMBER(middlewares)),
    key<kBoolean>("/openapi/enabled", FW_MEMBER(openapi.enabled)),
    key<kString, literal_path_errors>("/openapi/jsonPath", FW_MEMBER(openapi.json_path)),
    key<kString, literal_path_errors>("/openapi/docsPath", FW_MEMBER(openapi.docs_path)),
    key<kString>("/openapi/info/title", FW_MEMBER(openapi.info.title)),
    key<kString>("/openapi/info/version", FW_MEMBER(openapi.info.version)),
    key<kString>("/openapi/info/summary", FW_MEMBER(openapi.info.summary)),
    key<kString>("/openapi/info/description", FW_MEMBER(openapi.info.description)),
    key<kString>("/openapi/info/termsOfService", FW_MEMBER(openapi.info.terms_of_service)),
    key<kString>("/openapi/info/license/name", FW_MEMBER(openapi.info.license.name)),
    key<kString>("/openapi/info/license/url", FW_MEMBER(openapi.info.license.url)),
    key<kString>("/openapi/info/license/identifier", FW_MEMBER(openapi.info.license.identifier)),
    key<kString>("/openapi/info/contact/name", FW_MEMBER(openapi.info.contact.name)),
    key<kString>("/openapi/info/contact/url", FW_MEMBER(openapi.info.contact.url)),
    key<kString>("/openapi/info/contact/email", FW_MEMBER(openapi.info.contact.email)),
    key<kServers>("/openapi/servers", FW_MEMBER(openapi.servers)),
    key<kStringMap>("/openapi/guardSecurityMap", FW_MEMBER(openapi.guard_security_map)),
    key<kAuthSchemes>("/openapi/authScheme", FW_MEMBER(openapi.auth_scheme)),
    key<kObject>("/openapi/securitySchemes", FW_MEMBER(openapi.security_schemes)),
    key<kString>("/locale/default", FW_MEMBER(locale.default_language)),
    key<kStrings>("/locale/supported", FW_MEMBER(locale.supported)),
    key<kString>("/locale/directory", FW_MEMBER(locale.directory)),
    key<kMilliseconds>("/shutdown/timeout", FW_MEMBER(shutdown.timeout)),
    key<kEngine>("/server/engine", FW_MEMBER(server.engine)),
    key<kString, socket_path_errors>("/server/unixSocket", FW_MEMBER(server.unix_socket)),
    key<kFileMode>("/server/unixSocketMode", FW_MEMBER(server.unix_socket_mode)),
    key<kCount>("/server/backlog", FW_MEMBER(server.backlog)),
    key<kBoolean>("/server/reusePort", FW_MEMBER(server.reuse_port)),
    key<kDuration>("/server/keepAliveTimeout", FW_MEMBER(server.keep_alive_timeout)),
    key<kDuration>("/server/headersTimeout", FW_MEMBER(server.headers_timeout)),
    key<kDuration>("/server/requestTimeout", FW_MEMBER(server.request_timeout)),
    key<kDuration>("/server/sendTimeout", FW_MEMBER(server.send_timeout)),
    key<kDuration>("/server/heartbeat", FW_MEMBER(server.heartbeat)),
    key<kSize>("/server/minDataRate", FW_MEMBER(server.min_data_rate)),
    key<kSize, header_size_errors>("/server/maxHeaderSize", FW_MEMBER(server.max_header_size)),
    key<kCount>("/server/maxHeaderCount", FW_MEMBER(server.max_header_count)),
    key<kCount>("/server/maxQueryParameters", FW_MEMBER(server.max_query_parameters)),
    key<kCount>("/server/maxCookies", FW_MEMBER(server.max_cookies)),
    key<kCountOrNone>("/server/maxRequestsPerConnection",
                      FW_MEMBER(server.max_requests_per_connection)),
    key<kCount>("/server/maxConnections", FW_MEMBER(server.max_connections)),
    key<kCountOrNone>("/server/maxConnectionsPerAddress",
                      FW_MEMBER(server.max_connections_per_address)),
    key<kCountOrNone>("/server/maxStreamsPerAddress", FW_MEMBER(server.max_streams_per_address)),
    key<kCountOrAuto>("/server/minWorkers", FW_MEMBER(server.min_workers)),
    key<kCount>("/server/maxWorkers", FW_MEMBER(server.max_workers)),
    key<kMilliseconds>("/server/queueTimeout", FW_MEMBER(server.queue_timeout)),
    key<kDuration>("/server/workerIdleTimeout", FW_MEMBER(server.worker_idle_timeout)),
    key<kSize>("/server/maxBufferedBytes", FW_MEMBER(server.max_buffered_bytes)),
    key<kMilliseconds>("/server/trimInterval", FW_MEMBER(server.trim_interval)),
    key<kString>("/server/tls/certificate", FW_MEMBER(server.tls.certificate)),
    key<kString>("/server/tls/key", FW_MEMBER(server.tls.key)),
    key<kTlsHosts, tls_host_errors>("/server/tls/hosts", FW_MEMBER(server.tls.hosts)),
    key<kString>("/server/tls/clientCertificates/ca", FW_MEMBER(server.tls.client_certificates.ca)),
    key<kClientCertificateMode>("/server/tls/clientCertificates/mode",
                                FW_MEMBER(server.tls.client_certificates.mode)),
    key<kTlsVersion>("/server/tls/minVersion", FW_MEMBER(server.tls.min_version)),
    key<kDuration>("/server/tls/handshakeTimeout", FW_MEMBER(server.tls.handshake_timeout)),
    key<kPort>("/server/tls/redirectFrom", FW_MEMBER(server.tls.redirect_from)),
    key<kBooleanOrAuto>("/server/http2/enabled", FW_MEMBER(server.http2.enabled)),
    key<kBoolean>("/server/http2/cleartext", FW_MEMBER(server.http2.cleartext)),
    key<kStreams>("/server/http2/maxConcurrentStreams",
                  FW_MEMBER(server.http2.max_concurrent_streams)),
    key<kBoolean>("/router/caseSensitive", FW_MEMBER(router.case_sensitive)),
    key<kBoolean>("/cluster/enabled", FW_MEMBER(cluster.enabled)),
    key<kCountOrAuto>("/cluster/workers", FW_MEMBER(cluster.workers)),
    key<kBoolean>("/cluster/autoRestart", FW_MEMBER(cluster.auto_restart)),
    key<kRestarts>("/cluster/maxRestarts", FW_MEMBER(cluster.max_restarts)),
    key<kDuration>("/cluster/restartWindow", FW_MEMBER(cluster.restart_window)),
    key<kDuration>("/cluster/restartDelay", FW_MEMBER(cluster.restart_delay)),
    key<kDuration>("/cluster/maxRestartDelay", FW_MEMBER(cluster.max_restart_delay)),
    key<kDuration>("/cluster/startTimeout", FW_MEMBER(cluster.start_timeout)),
    FW_STORE_KEYS("/store", store),
    FW_MEMORY_LIMIT_KEYS("/store", store),
    FW_STORE_KEYS("/rateLimit/store", rate_limit.store),
    FW_MEMORY_LIMIT_KEYS("/rateLimit/store", rate_limit.store),
    key<kBoolean>("/cache/enabled", FW_MEMBER(cache.enabled)),
    key<kMilliseconds>("/cache/defaultTtl", FW_MEMBER(cache.default_ttl)),
    FW_MEMORY_LIMIT_KEYS("/cache", cache),
    key<kDuration>("/cache/waitTimeout", FW_MEMBER(cache.wait_timeout)),
    FW_STORE_KEYS("/cache/store", cache.store),
    key<kBoolean>("/session/enabled", FW_MEMBER(session.enabled)),
    key<kString, cookie_name_errors>("/session/name", FW_MEMBER(session.name)),
    key<kSeconds>("/session/ttl", FW_MEMBER(session.ttl)),
    key<kSeconds>("/session/newTtl", FW_MEMBER(session.new_ttl)),
    key<kBoolean>("/session/rolling", FW_MEMBER(session.rolling)),
    key<kBoolean>("/session/autoCommit", FW_MEMBER(session.auto_commit)),
    key<kIdLength>("/session/idLength", FW_MEMBER(session.id_length)),
    FW_COOKIE_KEYS("/session/cookie", session.cookie),
    FW_STORE_KEYS("/session/store", session.store),
    FW_MEMORY_LIMIT_KEYS("/session/store", session.store),
    key<kBoolean>("/csrf/enabled", FW_MEMBER(csrf.enabled)),
    key<kCsrfMode>("/csrf/mode", FW_MEMBER(csrf.mode)),
    key<kString, csrf_secret_errors>("/csrf/secret", FW_MEMBER(csrf.secret)),
    key<kStrings, csrf_method_errors>("/csrf/methods", FW_MEMBER(csrf.methods)),
    key<kStrings, header_names_errors>("/csrf/headers", FW_MEMBER(csrf.headers)),
    key<kString>("/csrf/bodyField", FW_MEMBER(csrf.body_field)),
    key<kString, cookie_name_errors>("/csrf/name", FW_MEMBER(csrf.name)),
    FW_COOKIE_KEYS("/csrf/cookie", csrf.cookie),
    key<kBoolean>("/csrf/fetchMetadata", FW_MEMBER(csrf.fetch_metadata)),
    key<kCsrfOrigin, csrf_origin_errors>("/csrf/origin", FW_MEMBER(csrf.origin)),
    key<kDuration>("/fetch/timeout", FW_MEMBER(fetch.timeout)),
    key<kDuration>("/fetch/idleTimeout", FW_MEMBER(fetch.idle_timeout)),
    key<kMilliseconds>("/fetch/totalTimeout", FW_MEMBER(fetch.total_timeout)),
    key<kRestarts>("/fetch/retry", FW_MEMBER(fetch.retry)),
    key<kRetryDelay>("/fetch/retryDelay", FW_MEMBER(fetch.retry_delay)),
    key<kStrings, header_names_errors>("/fetch/propagateHeaders",
                                       FW_MEMBER(fetch.propagate_headers)),
    key<kBoolean>("/fetch/traceContext", FW_MEMBER(fetch.trace_context)),
    key<kProxyTargets, proxy_target_errors>("/fetch/proxy", FW_MEMBER(fetch.proxy)),
    key<kString, via_errors>("/fetch/via", FW_MEMBER(fetch.via)),
    key<kSize>("/fetch/maxSize", FW_MEMBER(fetch.max_size)),
    key<kBooleanOrAuto>("/fetch/http2/enabled", FW_MEMBER(fetch.http2.enabled)),
    key<kString>("/fetch/tls/caFile", FW_MEMBER(fetch.tls.ca_file)),
    key<kString>("/fetch/tls/certificateFile", FW_MEMBER(fetch.tls.certificate_file)),
    key<kString>("/fetch/tls/keyFile", FW_MEMBER(fetch.tls.key_file)),
    key<kPort>("/admin/port", FW_MEMBER(admin.port)),
    key<kString>("/admin/host", FW_MEMBER(admin.host)),
    key<kString, socket_path_errors>("/admin/socket", FW_MEMBER(admin.socket)),
    key<kString, admin_token_errors>("/admin/token", FW_MEMBER(admin.token)),
    key<kBoolean>("/mcp/enabled", FW_MEMBER(mcp.enabled)),
    key<kString, literal_path_errors>("/mcp/path", FW_MEMBER(mcp.path)),
    key<kStrings, page_origin_errors>("/mcp/origins", FW_MEMBER(mcp.origins)),
    key<kSize>("/mcp/maxResponseSize", FW_MEMBER(mcp.max_response_size)),
    key<kString, collector_url_errors>("/tracing/endpoint", FW_MEMBER(tracing.endpoint)),
    key<kTraceEncoding>("/tracing/encoding", FW_MEMBER(tracing.encoding)),
    key<kStringMap, collector_header_errors>("/tracing/headers", FW_MEMBER(tracing.headers)),
    key<kString>("/tracing/serviceName", FW_MEMBER(tracing.service_name)),
    key<kRatio>("/tracing/ratio", FW_MEMBER(tracing.ratio)),
    key<kBoolean>("/tracing/errors", FW_MEMBER(tracing.errors)),
    key<kMilliseconds>("/tracing/slowThreshold", FW_MEMBER(tracing.slow_threshold)),
    key<kBoolean>("/tracing/logs", FW_MEMBER(tracing.logs)),
    key<kCount>("/tracing/queueSize", FW_MEMBER(tracing.queue_size)),
    key<kDuration>("/tracing/exportInterval", FW_MEMBER(tracing.export_interval)),
    key<kEntityTags>("/etag", FW_MEMBER(etag)),
    key<kBoolean>("/typedPath", FW_MEMBER(typed_path)),
    key<kBoolean>("/compression/enabled", FW_MEMBER(compression.enabled)),
    key<kStrings, coding_errors>("/compression/encodings", FW_MEMBER(compression.encodings)),
    key<kSize>("/compression/minSize", FW_MEMBER(compression.min_size)),
    key<kStrings, media_type_errors>("/compression/mimeTypes", FW_MEMBER(compression.mime_types)),
    key<kGzipLevel>("/compression/gzipLevel", FW_MEMBER(compression.gzip_level)),
    key<kBrotliLevel>("/compression/brotliLevel", FW_MEMBER(compression.brotli_level)),
    key<kZstdLevel>("/compression/zstdLevel", FW_MEMBER(compression.zstd_level)),
    key<kStaticFiles, static_file_errors>("/static", FW_MEMBER(static_files)),
    key<kObject>("/app", FW_MEMBER(app)),
});
#undef FW_COOKIE_KEYS
#undef FW_STORE_KEYS
#undef FW_MEMORY_LIMIT_KEYS
#undef FW_MEMBER

}  // namespace

bool ConfigKey::read(Config& config, const Json& value) const {
  return read_member(const_cast<void*>(member(config)), value);
}

Json ConfigKey::write(const Config& config) const { return write_member(member(config)); }

ValueErrors ConfigKey::errors(const Config& config) const {
  return check == nullptr ? ValueErrors() : check(member(config));
}

std::span<const ConfigKey> config_keys() { return kKeys; }

}  // namespace fw::settings
