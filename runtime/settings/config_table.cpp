#include "settings/config_table.hpp"

#include <vector>

#include "settings/value_kinds.hpp"

namespace fw::config {
namespace {

template <class T>
ValueErrors no_errors(const T& /*value*/) {
  return {};
}

template <class T, class Member>
ConfigKey key(std::string_view pointer, const Kind<T>& kind, Member member,
              ValueErrors (*check)(const T&) = no_errors<T>) {
  return {pointer, kind.expectation,
          [read = kind.read, member](Config& config, const Json& value) {
            return read(member(config), value);
          },
          [write = kind.write, member](const Config& config) { return write(member(config)); },
          [check, member](const Config& config) { return check(member(config)); }};
}

}  // namespace

std::span<const ConfigKey> config_keys() {
// A member's path, usable on a Config and on a const Config.
#define FW_MEMBER(path) [](auto& config) -> auto& { return config.path; }
// The keys of a CookieConfig, of what is kept in memory, and of a StoreConfig.
#define FW_COOKIE_KEYS(pointer, member)                                                      \
  key(pointer "/path", kString, FW_MEMBER(member.path), cookie_path_errors),                 \
      key(pointer "/domain", kString, FW_MEMBER(member.domain), cookie_domain_errors),       \
      key(pointer "/sameSite", kSameSite, FW_MEMBER(member.same_site)),                      \
      key(pointer "/secure", kCookieSecure, FW_MEMBER(member.secure)),                       \
      key(pointer "/httpOnly", kBoolean, FW_MEMBER(member.http_only)),                       \
      key(pointer "/maxAge", kMaxAge, FW_MEMBER(member.max_age)),                            \
      key(pointer "/priority", kString, FW_MEMBER(member.priority), cookie_priority_errors), \
      key(pointer "/partitioned", kBoolean, FW_MEMBER(member.partitioned))
#define FW_MEMORY_LIMIT_KEYS(pointer, path)                          \
  key(pointer "/maxEntries", kEntries, FW_MEMBER(path.max_entries)), \
      key(pointer "/maxMemory", kSize, FW_MEMBER(path.max_memory))
#define FW_STORE_KEYS(pointer, member)                                          \
  key(pointer "/type", kStoreType, FW_MEMBER(member.type)),                     \
      key(pointer "/url", kString, FW_MEMBER(member.url), redis_url_errors),    \
      key(pointer "/keyPrefix", kString, FW_MEMBER(member.key_prefix)),         \
      key(pointer "/timeout", kDuration, FW_MEMBER(member.timeout)),            \
      key(pointer "/connections", kConnections, FW_MEMBER(member.connections)), \
      key(pointer "/caFile", kString, FW_MEMBER(member.ca_file))
  static const std::vector<ConfigKey> keys{
      key("/host", kString, FW_MEMBER(host)),
      key("/port", kPort, FW_MEMBER(port)),
      key("/trustProxy", kTrustProxy, FW_MEMBER(trust_proxy)),
      key("/response/wrap", kBoolean, FW_MEMBER(response.wrap)),
      key("/response/hideInternalErrors", kBoolean, FW_MEMBER(response.hide_internal_errors)),
      key("/response/logErrors/unknownErrors", kBoolean,
          FW_MEMBER(response.log_errors.unknown_errors)),
      key("/response/logErrors/http5xx", kBoolean, FW_MEMBER(response.log_errors.http5xx)),
      key("/response/logErrors/http4xx", kBoolean, FW_MEMBER(response.log_errors.http4xx)),
      key("/cors/enabled", kBoolean, FW_MEMBER(cors.enabled)),
      key("/cors/origins", kStrings, FW_MEMBER(cors.origins), cors_origin_errors),
      key("/cors/methods", kStrings, FW_MEMBER(cors.methods), cors_method_errors),
      key("/cors/headers", kStrings, FW_MEMBER(cors.headers), cors_header_errors),
      key("/cors/credentials", kBoolean, FW_MEMBER(cors.credentials)),
      key("/cors/maxAge", kPreflightAge, FW_MEMBER(cors.max_age)),
      key("/securityHeaders/enabled", kBoolean, FW_MEMBER(security_headers.enabled)),
      key("/securityHeaders/preset", kSecurityPreset, FW_MEMBER(security_headers.preset)),
      key("/securityHeaders/contentTypeOptions", kSecurityHeader,
          FW_MEMBER(security_headers.content_type_options), security_header_errors),
      key("/securityHeaders/referrerPolicy", kSecurityHeader,
          FW_MEMBER(security_headers.referrer_policy), security_header_errors),
      key("/securityHeaders/frameOptions", kSecurityHeader,
          FW_MEMBER(security_headers.frame_options), security_header_errors),
      key("/securityHeaders/hsts", kHsts, FW_MEMBER(security_headers.hsts), hsts_errors),
      key("/securityHeaders/contentSecurityPolicy", kContentSecurityPolicy,
          FW_MEMBER(security_headers.content_security_policy), content_security_policy_errors),
      key("/securityHeaders/permissionsPolicy", kSecurityHeader,
          FW_MEMBER(security_headers.permissions_policy), security_header_errors),
      key("/securityHeaders/crossOriginOpenerPolicy", kSecurityHeader,
          FW_MEMBER(security_headers.cross_origin_opener_policy), security_header_errors),
      key("/securityHeaders/crossOriginEmbedderPolicy", kSecurityHeader,
          FW_MEMBER(security_headers.cross_origin_embedder_policy), security_header_errors),
      key("/securityHeaders/crossOriginResourcePolicy", kSecurityHeader,
          FW_MEMBER(security_headers.cross_origin_resource_policy), security_header_errors),
      key("/securityHeaders/headers", kStringMap, FW_MEMBER(security_headers.headers),
          added_header_errors),
      key("/securityHeaders/skipPaths", kStrings, FW_MEMBER(security_headers.skip_paths),
          request_path_errors),
      key("/rateLimit/enabled", kBoolean, FW_MEMBER(rate_limit.enabled)),
      key("/rateLimit/max", kCount, FW_MEMBER(rate_limit.max)),
      key("/rateLimit/window", kWindow, FW_MEMBER(rate_limit.window)),
      key("/rateLimit/message", kString, FW_MEMBER(rate_limit.message)),
      key("/rateLimit/keyBy", kRateLimitKey, FW_MEMBER(rate_limit.key_by)),
      key("/rateLimit/onStoreError", kStoreErrorPolicy, FW_MEMBER(rate_limit.on_store_error)),
      key("/multipart/enabled", kBoolean, FW_MEMBER(multipart.enabled)),
      key("/multipart/fields", kBoolean, FW_MEMBER(multipart.fields)),
      key("/multipart/maxFiles", kCount, FW_MEMBER(multipart.max_files)),
      key("/multipart/maxFileSize", kSize, FW_MEMBER(multipart.max_file_size)),
      key("/multipart/allowedMimeTypes", kStrings, FW_MEMBER(multipart.allowed_mime_types),
          media_type_errors),
      key("/requestId/enabled", kBoolean, FW_MEMBER(request_id.enabled)),
      key("/requestId/header", kString, FW_MEMBER(request_id.header), header_name_errors),
      key("/requestId/responseHeader", kString, FW_MEMBER(request_id.response_header),
          header_name_errors),
      key("/requestId/onInvalid", kInvalidRequestId, FW_MEMBER(request_id.on_invalid)),
      key("/requestContext/enabled", kBoolean, FW_MEMBER(request_context.enabled)),
      key("/requestContext/logUser", kBoolean, FW_MEMBER(request_context.log_user)),
      key("/bodyParser/enabled", kBoolean, FW_MEMBER(body_parser.enabled)),
      key("/bodyParser/maxBodySize", kSize, FW_MEMBER(body_parser.max_body_size)),
      key("/bodyParser/maxValues", kCount, FW_MEMBER(body_parser.max_values)),
      key("/bodyParser/maxFormFields", kCount, FW_MEMBER(body_parser.max_form_fields)),
      key("/accessLog/enabled", kBoolean, FW_MEMBER(access_log.enabled)),
      key("/accessLog/level", kAccessLevel, FW_MEMBER(access_log.level)),
      key("/accessLog/skipPaths", kStrings, FW_MEMBER(access_log.skip_paths), request_path_errors),
      key("/accessLog/skipPathPrefixes", kStrings, FW_MEMBER(access_log.skip_path_prefixes),
          request_path_errors),
      key("/accessLog/slowThreshold", kMilliseconds, FW_MEMBER(access_log.slow_threshold)),
      key("/accessLog/warnOn4xx", kBoolean, FW_MEMBER(access_log.warn_on4xx)),
      key("/accessLog/logResponseSize", kBoolean, FW_MEMBER(access_log.log_response_size)),
      key("/accessLog/errors", kBoolean, FW_MEMBER(access_log.errors)),
      key("/logger/level", kLogLevel, FW_MEMBER(logger.level)),
      key("/logger/pretty", kBoolean, FW_MEMBER(logger.pretty)),
      key("/logger/prettyColor", kPrettyColor, FW_MEMBER(logger.pretty_color)),
      key("/logger/redactKeys", kStrings, FW_MEMBER(logger.redact_keys)),
      key("/logger/redactPaths", kStrings, FW_MEMBER(logger.redact_paths)),
      key("/logger/redactValue", kString, FW_MEMBER(logger.redact_value)),
      key("/logger/file", kString, FW_MEMBER(logger.file)),
      key("/middlewares", kMiddlewares, FW_MEMBER(middlewares)),
      key("/openapi/enabled", kBoolean, FW_MEMBER(openapi.enabled)),
      key("/openapi/jsonPath", kString, FW_MEMBER(openapi.json_path), plain_path_errors),
      key("/openapi/docsPath", kString, FW_MEMBER(openapi.docs_path), plain_path_errors),
      key("/openapi/info/title", kString, FW_MEMBER(openapi.info.title)),
      key("/openapi/info/version", kString, FW_MEMBER(openapi.info.version)),
      key("/openapi/info/summary", kString, FW_MEMBER(openapi.info.summary)),
      key("/openapi/info/description", kString, FW_MEMBER(openapi.info.description)),
      key("/openapi/info/termsOfService", kString, FW_MEMBER(openapi.info.terms_of_service)),
      key("/openapi/info/license/name", kString, FW_MEMBER(openapi.info.license.name)),
      key("/openapi/info/license/url", kString, FW_MEMBER(openapi.info.license.url)),
      key("/openapi/info/license/identifier", kString, FW_MEMBER(openapi.info.license.identifier)),
      key("/openapi/info/contact/name", kString, FW_MEMBER(openapi.info.contact.name)),
      key("/openapi/info/contact/url", kString, FW_MEMBER(openapi.info.contact.url)),
      key("/openapi/info/contact/email", kString, FW_MEMBER(openapi.info.contact.email)),
      key("/openapi/servers", kServers, FW_MEMBER(openapi.servers)),
      key("/openapi/guardSecurityMap", kStringMap, FW_MEMBER(openapi.guard_security_map)),
      key("/openapi/authScheme", kAuthSchemes, FW_MEMBER(openapi.auth_scheme)),
      key("/openapi/securitySchemes", kObject, FW_MEMBER(openapi.security_schemes)),
      key("/locale/default", kString, FW_MEMBER(locale.default_language)),
      key("/locale/supported", kStrings, FW_MEMBER(locale.supported)),
      key("/locale/directory", kString, FW_MEMBER(locale.directory)),
      key("/shutdown/timeout", kMilliseconds, FW_MEMBER(shutdown.timeout)),
      key("/server/engine", kEngine, FW_MEMBER(server.engine)),
      key("/server/unixSocket", kString, FW_MEMBER(server.unix_socket), socket_path_errors),
      key("/server/unixSocketMode", kFileMode, FW_MEMBER(server.unix_socket_mode)),
      key("/server/backlog", kCount, FW_MEMBER(server.backlog)),
      key("/server/reusePort", kBoolean, FW_MEMBER(server.reuse_port)),
      key("/server/keepAliveTimeout", kDuration, FW_MEMBER(server.keep_alive_timeout)),
      key("/server/headersTimeout", kDuration, FW_MEMBER(server.headers_timeout)),
      key("/server/requestTimeout", kDuration, FW_MEMBER(server.request_timeout)),
      key("/server/sendTimeout", kDuration, FW_MEMBER(server.send_timeout)),
      key("/server/heartbeat", kDuration, FW_MEMBER(server.heartbeat)),
      key("/server/minDataRate", kSize, FW_MEMBER(server.min_data_rate)),
      key("/server/maxHeaderSize", kSize, FW_MEMBER(server.max_header_size), header_size_errors),
      key("/server/maxHeaderCount", kCount, FW_MEMBER(server.max_header_count)),
      key("/server/maxQueryParameters", kCount, FW_MEMBER(server.max_query_parameters)),
      key("/server/maxCookies", kCount, FW_MEMBER(server.max_cookies)),
      key("/server/maxRequestsPerConnection", kCountOrNone,
          FW_MEMBER(server.max_requests_per_connection)),
      key("/server/maxConnections", kCount, FW_MEMBER(server.max_connections)),
      key("/server/maxConnectionsPerAddress", kCountOrNone,
          FW_MEMBER(server.max_connections_per_address)),
      key("/server/maxStreamsPerAddress", kCountOrNone, FW_MEMBER(server.max_streams_per_address)),
      key("/server/minWorkers", kCountOrAuto, FW_MEMBER(server.min_workers)),
      key("/server/maxWorkers", kCount, FW_MEMBER(server.max_workers)),
      key("/server/queueTimeout", kMilliseconds, FW_MEMBER(server.queue_timeout)),
      key("/server/workerIdleTimeout", kDuration, FW_MEMBER(server.worker_idle_timeout)),
      key("/server/maxBufferedBytes", kSize, FW_MEMBER(server.max_buffered_bytes)),
      key("/server/trimInterval", kMilliseconds, FW_MEMBER(server.trim_interval)),
      key("/server/tls/certificate", kString, FW_MEMBER(server.tls.certificate)),
      key("/server/tls/key", kString, FW_MEMBER(server.tls.key)),
      key("/server/tls/hosts", kTlsHosts, FW_MEMBER(server.tls.hosts), tls_host_errors),
      key("/server/tls/clientCertificates/ca", kString,
          FW_MEMBER(server.tls.client_certificates.ca)),
      key("/server/tls/clientCertificates/mode", kClientCertificateMode,
          FW_MEMBER(server.tls.client_certificates.mode)),
      key("/server/tls/minVersion", kTlsVersion, FW_MEMBER(server.tls.min_version)),
      key("/server/tls/handshakeTimeout", kDuration, FW_MEMBER(server.tls.handshake_timeout)),
      key("/server/tls/redirectFrom", kPort, FW_MEMBER(server.tls.redirect_from)),
      key("/server/http2/enabled", kBooleanOrAuto, FW_MEMBER(server.http2.enabled)),
      key("/server/http2/cleartext", kBoolean, FW_MEMBER(server.http2.cleartext)),
      key("/server/http2/maxConcurrentStreams", kStreams,
          FW_MEMBER(server.http2.max_concurrent_streams)),
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
      FW_MEMORY_LIMIT_KEYS("/store", store),
      FW_STORE_KEYS("/rateLimit/store", rate_limit.store),
      FW_MEMORY_LIMIT_KEYS("/rateLimit/store", rate_limit.store),
      key("/cache/enabled", kBoolean, FW_MEMBER(cache.enabled)),
      key("/cache/defaultTtl", kMilliseconds, FW_MEMBER(cache.default_ttl)),
      FW_MEMORY_LIMIT_KEYS("/cache", cache),
      key("/cache/waitTimeout", kDuration, FW_MEMBER(cache.wait_timeout)),
      FW_STORE_KEYS("/cache/store", cache.store),
      key("/session/enabled", kBoolean, FW_MEMBER(session.enabled)),
      key("/session/name", kString, FW_MEMBER(session.name), cookie_name_errors),
      key("/session/ttl", kSeconds, FW_MEMBER(session.ttl)),
      key("/session/newTtl", kSeconds, FW_MEMBER(session.new_ttl)),
      key("/session/rolling", kBoolean, FW_MEMBER(session.rolling)),
      key("/session/autoCommit", kBoolean, FW_MEMBER(session.auto_commit)),
      key("/session/idLength", kIdLength, FW_MEMBER(session.id_length)),
      FW_COOKIE_KEYS("/session/cookie", session.cookie),
      FW_STORE_KEYS("/session/store", session.store),
      FW_MEMORY_LIMIT_KEYS("/session/store", session.store),
      key("/csrf/enabled", kBoolean, FW_MEMBER(csrf.enabled)),
      key("/csrf/mode", kCsrfMode, FW_MEMBER(csrf.mode)),
      key("/csrf/secret", kString, FW_MEMBER(csrf.secret), csrf_secret_errors),
      key("/csrf/methods", kStrings, FW_MEMBER(csrf.methods), csrf_method_errors),
      key("/csrf/headers", kStrings, FW_MEMBER(csrf.headers), header_names_errors),
      key("/csrf/bodyField", kString, FW_MEMBER(csrf.body_field)),
      key("/csrf/name", kString, FW_MEMBER(csrf.name), cookie_name_errors),
      FW_COOKIE_KEYS("/csrf/cookie", csrf.cookie),
      key("/csrf/fetchMetadata", kBoolean, FW_MEMBER(csrf.fetch_metadata)),
      key("/csrf/origin", kCsrfOrigin, FW_MEMBER(csrf.origin), csrf_origin_errors),
      key("/fetch/timeout", kDuration, FW_MEMBER(fetch.timeout)),
      key("/fetch/idleTimeout", kDuration, FW_MEMBER(fetch.idle_timeout)),
      key("/fetch/totalTimeout", kMilliseconds, FW_MEMBER(fetch.total_timeout)),
      key("/fetch/retry", kRestarts, FW_MEMBER(fetch.retry)),
      key("/fetch/retryDelay", kRetryDelay, FW_MEMBER(fetch.retry_delay)),
      key("/fetch/propagateHeaders", kStrings, FW_MEMBER(fetch.propagate_headers),
          header_names_errors),
      key("/fetch/traceContext", kBoolean, FW_MEMBER(fetch.trace_context)),
      key("/fetch/proxy", kProxyTargets, FW_MEMBER(fetch.proxy), proxy_target_errors),
      key("/fetch/via", kString, FW_MEMBER(fetch.via), via_errors),
      key("/fetch/maxSize", kSize, FW_MEMBER(fetch.max_size)),
      key("/fetch/http2/enabled", kBooleanOrAuto, FW_MEMBER(fetch.http2.enabled)),
      key("/fetch/tls/caFile", kString, FW_MEMBER(fetch.tls.ca_file)),
      key("/fetch/tls/certificateFile", kString, FW_MEMBER(fetch.tls.certificate_file)),
      key("/fetch/tls/keyFile", kString, FW_MEMBER(fetch.tls.key_file)),
      key("/admin/port", kPort, FW_MEMBER(admin.port)),
      key("/admin/host", kString, FW_MEMBER(admin.host)),
      key("/admin/socket", kString, FW_MEMBER(admin.socket), socket_path_errors),
      key("/admin/token", kString, FW_MEMBER(admin.token), admin_token_errors),
      key("/tracing/endpoint", kString, FW_MEMBER(tracing.endpoint), collector_url_errors),
      key("/tracing/encoding", kTraceEncoding, FW_MEMBER(tracing.encoding)),
      key("/tracing/headers", kStringMap, FW_MEMBER(tracing.headers), collector_header_errors),
      key("/tracing/serviceName", kString, FW_MEMBER(tracing.service_name)),
      key("/tracing/ratio", kRatio, FW_MEMBER(tracing.ratio)),
      key("/tracing/errors", kBoolean, FW_MEMBER(tracing.errors)),
      key("/tracing/slowThreshold", kMilliseconds, FW_MEMBER(tracing.slow_threshold)),
      key("/tracing/queueSize", kCount, FW_MEMBER(tracing.queue_size)),
      key("/tracing/exportInterval", kDuration, FW_MEMBER(tracing.export_interval)),
      key("/etag", kEntityTags, FW_MEMBER(etag)),
      key("/typedPath", kBoolean, FW_MEMBER(typed_path)),
      key("/compression/enabled", kBoolean, FW_MEMBER(compression.enabled)),
      key("/compression/encodings", kStrings, FW_MEMBER(compression.encodings), coding_errors),
      key("/compression/minSize", kSize, FW_MEMBER(compression.min_size)),
      key("/compression/mimeTypes", kStrings, FW_MEMBER(compression.mime_types), media_type_errors),
      key("/compression/gzipLevel", kGzipLevel, FW_MEMBER(compression.gzip_level)),
      key("/compression/brotliLevel", kBrotliLevel, FW_MEMBER(compression.brotli_level)),
      key("/compression/zstdLevel", kZstdLevel, FW_MEMBER(compression.zstd_level)),
      key("/static", kStaticFiles, FW_MEMBER(static_files), static_file_errors),
      key("/app", kObject, FW_MEMBER(app)),
  };
#undef FW_COOKIE_KEYS
#undef FW_STORE_KEYS
#undef FW_MEMORY_LIMIT_KEYS
#undef FW_MEMBER
  return keys;
}

}  // namespace fw::config
