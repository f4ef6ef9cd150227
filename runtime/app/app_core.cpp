#include "app/app_core.hpp"

#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/access.hpp"
#include "client/span_sender.hpp"
#include "client/transfer.hpp"
#include "config/config_errors.hpp"
#include "crypto/digests.hpp"
#include "errors/messages.hpp"
#include "errors/stack_trace.hpp"
#include "features/cache/cache_policy.hpp"
#include "features/topics/topic_relay.hpp"
#include "logging/async_sink.hpp"
#include "observe/health_checks.hpp"
#include "pipeline/type_registry.hpp"

namespace fw::detail {
namespace {

/// If a standard stream is closed (`>&-`), the next descriptor would get its number, and the log
/// could go to a socket.
void keep_standard_streams() {
  int opened = STDIN_FILENO;
  while (opened >= 0 && opened <= STDERR_FILENO) opened = ::open("/dev/null", O_RDWR);
  if (opened >= 0) ::close(opened);
}

Logger make_logger(LoggerConfig config, std::vector<std::string>& errors) {
  keep_standard_streams();
  std::shared_ptr<LogSink> sink;
  try {
    sink = std::make_shared<AsyncSink>(config);
  } catch (const std::system_error& error) {
    errors.emplace_back(error.what());
    config.file.clear();
    sink = std::make_shared<AsyncSink>(config);
  }
  return Logger(std::move(sink), config.level);
}

/// Adds the features of a table to what the tables before have.
void add_features(const Features& added, Features& features) {
  const auto add = [&](auto Features::* feature) {
    if (added.*feature != nullptr) features.*feature = added.*feature;
  };
  add(&Features::cached_routes);
  add(&Features::docs_viewer);
  add(&Features::mcp_tools);
  add(&Features::page_rendering);
  add(&Features::page_routes);
}

/// Whether its requests need digests, whatever the configuration enables: sockets, and responses
/// with entity tags.
bool needs_digests(const Route& route, const Config& config) {
  return route.socket_policy != nullptr || cache_ttl(route, config.cache).count() > 0 ||
         !route.options.frontend.mode.empty();
}

/// Computes a digest if requests will need them: if OpenSSL is missing, the start fails, not the
/// first of these requests.
void prepare_digests(const Config& config, Pipeline& pipeline, std::vector<std::string>& errors) {
  const bool are_needed =
      config.session.enabled || config.csrf.enabled || config.rate_limit.enabled ||
      config.etag != EntityTags::off || !pipeline.files().empty() || !config.admin.token.empty() ||
      std::ranges::any_of(pipeline.routes(),
                          [&](const Route* route) { return needs_digests(*route, config); });
  if (!are_needed) return;
  try {
    static_cast<void>(crypto::sha256({}));
  } catch (const std::exception& error) {
    errors.emplace_back(error.what());
  }
}

constexpr std::string_view kAssetCacheControl = "public, max-age=31536000, immutable";

void respond_with_asset(const Environment& env, Request& req, Response& res) {
  const auto pages = env.pages.current();
  const pages::Asset* const asset = pages->asset(req.path());
  if (asset == nullptr) throw status_error(404);
  res.set_header("cache-control", kAssetCacheControl)
      .set_header("x-content-type-options", "nosniff")
      .set_header("content-type", asset->content_type);
  res.text(asset->content);
}

/// Adds the route of the scripts and style sheets of pages. Their names contain a hash of their
/// content, so that clients may keep them.
void add_page_assets(const Environment& env, Pipeline& pipeline, std::vector<std::string>& errors) {
  pipeline.add(
      {.method = "GET",
       .path = std::string(pages::kAssetPrefix) + "*",
       .file = "src/pages",
       .options = {},
       .handler = [&env](Request& req, Response& res) { respond_with_asset(env, req, res); }},
      errors);
}

std::shared_ptr<ActiveRequests> make_active_requests(const std::vector<const Route*>& routes) {
  std::vector<std::string> paths;
  for (const Route* const route : routes) paths.push_back(route->path);
  return std::make_shared<ActiveRequests>(std::move(paths));
}

std::unique_ptr<RequestMetrics> make_request_metrics(const std::vector<const Route*>& routes,
                                                     bool has_exemplars) {
  std::vector<RequestMetrics::Route> measured;
  for (const Route* const route : routes) {
    measured.push_back({std::string(request_method(*route)), route->path});
  }
  return std::make_unique<RequestMetrics>(std::move(measured), has_exemplars);
}

/// Logs that a health check begins to fail, or passes again.
void report_health(const Logger& logger, const std::string& name, const std::string& reason) {
  if (reason.empty()) {
    logger.info(fmt::format("the health check '{}' passes again", name));
  } else {
    logger.warn(fmt::format("the health check '{}' fails: {}", name, reason));
  }
}

}  // namespace

AppCore::AppCore(App& app, Config config)
    : env(app, config, make_logger(config.logger, errors_)),
      topics(std::make_unique<TopicRelay>(env.config.store, env.logger)),
      metrics(env.config.admin.is_enabled()),
      lifecycle(env),
      client(std::make_shared<OutboundClient>(env)),
      proxy(std::make_shared<Proxy>(env, client)),
      middlewares_(env),
      docs_routes_(env),
      pipeline_(env),
      route_loader_(app, pipeline_) {
  env.generate_request_id = env.config.request_id.generate;
  const std::vector<std::string> errors = config::config_errors(env.config);
  for (const auto& found :
       {errors, OutboundClient::config_errors(env.config.fetch, &client::has_http2),
        SpanSender::config_errors(env.config.tracing)}) {
    errors_.insert(errors_.end(), found.begin(), found.end());
  }
  if (!errors.empty()) return;
  env.body_limit = env.config.body_parser.max_body_size.bytes();
  env.compression = compression::CompressionPolicy(env.config.compression);
  const auto most_buffered = static_cast<std::size_t>(env.config.server.max_buffered_bytes.bytes());
  env.buffers = std::make_shared<http::BufferBudget>(most_buffered);
  env.stream_encoders = std::make_shared<http::BufferBudget>(most_buffered);
  for (const StaticConfig& files : env.config.static_files) pipeline_.files().add(files, errors_);
}

void AppCore::require_not_prepared(std::string_view action) const {
  if (prepared_) {
    throw std::logic_error(fmt::format("{} must be called before the application starts", action));
  }
}

void AppCore::require_no_errors() const {
  if (!errors_.empty()) throw StartupError(errors_);
}

void AppCore::mount(const AppTable& table) {
  require_not_prepared("app.mount");
  add_features(*table.features, env.features);
  set_up_plugins(table.plugins, env, lifecycle, errors_);
  middlewares_.add(table.middlewares, errors_);
  env.pages.add(table);
  register_types(table.types, errors_);
  for (const RouteFileRow& file : table.files) route_loader_.load(file, errors_);
  if (env.config.openapi.enabled || has_tools()) {
    docs_routes_.add_document(table.openapi, errors_);
  }
}

bool AppCore::has_tools() const {
  if (env.features.mcp_tools == nullptr) return false;
  return env.config.mcp.enabled && std::ranges::any_of(pipeline_.routes(), [](const Route* route) {
           return route->options.mcp;
         });
}

void AppCore::use(Middleware middleware) {
  require_not_prepared("app.use");
  if (!middleware) throw std::invalid_argument("app.use: the middleware is empty");
  global_middlewares_.push_back(std::move(middleware));
}

void AppCore::serve_static(StaticConfig config) {
  require_not_prepared("app.serve_static");
  pipeline_.files().add(std::move(config), errors_);
}

void AppCore::prepare() {
  if (prepared_) return;
  env.locales = Locales::load(env.config.locale, errors_);
  env.stores.open(env.config, errors_);
  env.pages.open(env.features.page_rendering, env.config.environment == "development", errors_);
  if (env.config.openapi.enabled) docs_routes_.add_routes(pipeline_, errors_);
  if (has_tools()) {
    prepare_tools_ = env.features.mcp_tools->add_endpoint(env, pipeline_, errors_);
  }
  if (!env.pages.empty()) add_page_assets(env, pipeline_, errors_);
  pipeline_.compose(
      global_middlewares_,
      [this](const MiddlewareRef& reference) { return middlewares_.make(reference); }, errors_);
  prepare_digests(env.config, pipeline_, errors_);
  require_no_errors();
  for (const std::string& warning : config::config_warnings(env.config)) env.logger.warn(warning);
  if (env.config.environment == "development") record_throws();  // for the error page
  if (env.config.admin.is_enabled()) {
    env.metrics = make_request_metrics(pipeline_.routes(), env.config.tracing.is_enabled());
    env.active = make_active_requests(pipeline_.routes());
  }
  if (env.config.tracing.is_enabled()) {
    env.tracer = make_tracer(env.config.tracing, env.config.logger);
    trace_export = std::make_unique<TraceExport>(env);
  }
  Access::checks(health).begin([this](const std::string& name, const std::string& reason) {
    report_health(env.logger, name, reason);
  });
  Access::relay(topics).start();
  prepared_ = true;
  hooks::RoutesReady event{env.app};
  env.hooks.emit(event, env.logger);
  if (env.config.openapi.enabled || has_tools()) docs_routes_.prepare(pipeline_);
  if (prepare_tools_) prepare_tools_(docs_routes_.documentation());
}

}  // namespace fw::detail
