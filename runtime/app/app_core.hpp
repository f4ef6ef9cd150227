// An application without its server: set-up, preparation, and the pipeline.
#pragma once

#include <fairway/app.hpp>
#include <fairway/health.hpp>
#include <fairway/metrics.hpp>

#include <any>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/docs_routes.hpp"
#include "app/lifecycle.hpp"
#include "app/middleware_registry.hpp"
#include "app/route_loader.hpp"
#include "app/trace_export.hpp"
#include "client/outbound_client.hpp"
#include "client/proxy.hpp"
#include "exchange/environment.hpp"
#include "mcp/endpoint.hpp"
#include "pipeline/pipeline.hpp"

namespace fw::detail {

/// Set-up is not thread-safe; a prepared application is.
class AppCore {
  std::vector<std::string> errors_;  // first, because constructors of other members append to it

 public:
  AppCore(App& app, Config config);
  AppCore(const AppCore&) = delete;
  AppCore& operator=(const AppCore&) = delete;

  Environment env;
  Services services;
  Topics topics;
  Health health;
  Metrics metrics;
  std::map<std::string, std::any, std::less<>> extensions;
  Lifecycle lifecycle;
  const std::shared_ptr<OutboundClient> client;
  const std::shared_ptr<Proxy> proxy;

  void mount(const AppTable& table);
  void use(Middleware middleware);
  void serve_static(StaticConfig config);
  /// Throws std::logic_error with the action if the application has been prepared.
  void require_not_prepared(std::string_view action) const;
  /// Throws StartupError with every error found since construction.
  void require_no_errors() const;

  /// Composes the chains. Throws StartupError with every error found since construction.
  void prepare();
  bool is_prepared() const { return prepared_; }

  /// The pipeline of a prepared application.
  const Pipeline& pipeline() const { return pipeline_; }
  ResponseCache& cache() { return pipeline_.cache(); }
  BackgroundPool& background() { return pipeline_.background(); }

 private:
  bool has_tools() const;

  std::vector<Middleware> global_middlewares_;
  MiddlewareRegistry middlewares_;
  DocsRoutes docs_routes_;
  std::atomic<bool> prepared_ = false;
  Pipeline pipeline_;
  RouteLoader route_loader_;
  McpTools::Prepare prepare_tools_;  ///< empty without tools

 public:
  /// Null without traces, and before `prepare`. Last, because its thread reads names of the routes.
  std::unique_ptr<TraceExport> trace_export;
};

}  // namespace fw::detail
