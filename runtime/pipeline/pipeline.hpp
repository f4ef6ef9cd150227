// Processes requests, from the transaction to the sent response.
#pragma once

#include <fairway/middleware.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chain/stage.hpp"
#include "features/cache/stored_responses.hpp"
#include "features/pages/background_pool.hpp"
#include "features/static_files/static_file_set.hpp"
#include "http/adapter.hpp"
#include "routing/matcher.hpp"

namespace fw::detail {

/// Built before the application serves; `handle` is thread-safe.
class Pipeline {
 public:
  using ResolveMiddleware = std::function<Middleware(const MiddlewareRef&)>;

  explicit Pipeline(const Environment& env)
      : env_(env),
        matcher_(env.config.router.case_sensitive ? routing::Matcher::Case::sensitive
                                                  : routing::Matcher::Case::ignored) {}

  /// Adds a route. Appends the errors in its path and declaration to `errors`.
  void add(Route route, std::vector<std::string>& errors);

  /// The routes in order; valid until another one is added.
  std::vector<const Route*> routes() const;
  /// Composes the chains. No routes may be added afterwards.
  void compose(const std::vector<Middleware>& global_middlewares,
               const ResolveMiddleware& resolve_middleware, std::vector<std::string>& errors);

  void handle(const std::shared_ptr<http::Transaction>& transaction) const;

  /// See AdapterOptions::plan. Thread-safe.
  std::unique_ptr<http::RequestPlan> plan(const http::RequestHead& head) const;
  /// The plan of a request that the handler of `outer` sends to the application for its client:
  /// both have one session.
  std::unique_ptr<RoutePlan> plan_inner(const http::RequestHead& head, Exchange& outer) const;
  /// Whether plans may have something to prepare.
  bool prepares_requests() const {
    return has_prefetchers_ || has_early_waiters_ || has_body_turns_;
  }

  ResponseCache& cache() { return responses_; }
  /// The renewals of pages.
  BackgroundPool& background() { return background_; }
  /// To be set up before `compose`.
  StaticFiles& files() { return files_; }

 private:
  struct MountedRoute {
    Route route;
    Stages chain;
    Stages preflight;
  };

  std::unique_ptr<RoutePlan> make_plan(const http::RequestHead& head) const;
  /// The final arrival stage: finds the route, and runs its chain, or the chain of requests without
  /// a route.
  void dispatch(Exchange& exchange) const;
  /// Responds to a preflight that announces a method. Returns false if CORS is disabled for the
  /// path. `match` is the result of the lookup for the request itself.
  bool run_preflight(Exchange& exchange, std::string_view announced,
                     const routing::Matcher::Match& match) const;
  void run_route(Exchange& exchange, const MountedRoute& mounted, TextMap params) const;
  /// The route whose settings apply to a preflight: the one for the announced method, or, if there
  /// is none, any route of the path. Null for paths without routes.
  const MountedRoute* find_preflighted(const Exchange& exchange, std::string_view announced,
                                       const routing::Matcher::Match& match) const;
  /// See `send_response`.
  void send(const std::shared_ptr<Exchange>& exchange, const std::exception_ptr& error) const;
  /// Responds with an error, whatever hooks do.
  void respond_to(Exchange& exchange, const std::exception_ptr& error) const;

  const Environment& env_;
  routing::Matcher matcher_;
  StoredResponses responses_;
  StaticFiles files_;
  std::vector<std::unique_ptr<MountedRoute>> mounted_;
  bool has_prefetchers_ = false;
  bool has_early_waiters_ = false;
  bool has_body_turns_ = false;
  Stages arrival_;
  Stages unmatched_;
  Stages file_preflight_;      ///< empty without files, and if CORS is disabled
  BackgroundPool background_;  // last, because it runs stages
};

// request_id.cpp

/// Sets the id of the request, which its client may choose, and its field of the response, if ids
/// are enabled. Throws std::runtime_error for an invalid id, which is replaced first.
void assign_request_id(Exchange& exchange);

// composition.cpp: the chains of stages, in processing order.

/// The stages before the route is looked up.
Stages compose_arrival(const StageContext& context);
/// The stages after the lookup that the route's declaration and the configuration enable.
Stages compose_route(const StageContext& context);
/// The stages of a preflight for the route; empty if CORS is disabled for it.
Stages compose_preflight(const StageContext& context);

}  // namespace fw::detail
