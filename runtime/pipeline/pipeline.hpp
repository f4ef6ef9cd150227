// Processes requests, from the transaction to the sent response.
#pragma once

#include <fairway/middleware.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "files/static_files.hpp"
#include "http/adapter.hpp"
#include "pipeline/background_pool.hpp"
#include "pipeline/stage.hpp"
#include "pipeline/stored_responses.hpp"
#include "routing/matcher.hpp"

namespace fw::detail {

/// Built before the application serves; `handle` is thread-safe.
class Pipeline {
 public:
  using ResolveMiddleware = std::function<Middleware(const MiddlewareRef&)>;

  explicit Pipeline(const Environment& env)
      : env_(env),
        matcher_(env.config.router.case_sensitive ? Matcher::Case::sensitive
                                                  : Matcher::Case::ignored) {}

  /// Adds a route. Appends the errors in its path and declaration to `errors`.
  void add(Route route, std::vector<std::string>& errors);

  /// The routes in order; valid until another one is added.
  std::vector<const Route*> routes() const;

  /// Composes the chains. No routes may be added afterwards.
  void compose(const std::vector<Middleware>& global_middlewares,
               const ResolveMiddleware& resolve_middleware, std::vector<std::string>& errors);

  void handle(const std::shared_ptr<http::Transaction>& transaction) const;

  /// Whether `prepare` may return something.
  bool has_prefetchers() const { return has_prefetchers_; }
  /// See AdapterOptions::prepare. Thread-safe.
  std::shared_ptr<void> prepare(http::RequestHead& head,
                                const std::shared_ptr<http::WaitingRequest>& request) const;

  ResponseCache& cache() { return responses_; }
  /// To be set up before `compose`.
  files::StaticFiles& files() { return files_; }

  /// The body limit of a request in bytes; 0 if there is no route for it. Thread-safe.
  std::uint64_t body_limit(http::RequestHead& head) const;

 private:
  struct MountedRoute {
    Route route;
    Stages chain;
    Stages preflight;
  };

  /// Finds the route of a request that is not handled yet, and keeps the result in its notes.
  const Matcher::Match& match_early(http::RequestHead& head) const;
  /// Finds the route and runs its chain.
  void dispatch(Exchange& exchange) const;
  /// The route whose settings apply to a preflight: the one for the announced method, or, if there
  /// is none, any route of the path. Null for requests that are not preflights and for paths
  /// without routes. `match` is the result of the lookup for the request itself.
  const MountedRoute* find_preflighted(Exchange& exchange, const Matcher::Match& match) const;
  /// Looks for the file of a request without a route, for the stage that sends it.
  bool find_file(Exchange& exchange) const;
  /// Whether the request is a preflight for a file. Paths with routes are not those of files.
  bool is_preflight_of_file(Exchange& exchange, const Matcher::Match& match) const;
  /// `error` is the exception that the response reports, or null. A stream keeps the exchange until
  /// it ends.
  void send(const std::shared_ptr<Exchange>& exchange, const std::exception_ptr& error) const;
  void announce_sent(Exchange& exchange, const std::exception_ptr& error) const;
  /// Makes the request the current one of the thread, if configured.
  CurrentContextScope enter_context(const Exchange& exchange) const;
  /// Logs an error that prevented a response, such as a lack of memory.
  void report_incomplete_response(const std::exception_ptr& error) const;

  const Environment& env_;
  Matcher matcher_;
  StoredResponses responses_;
  files::StaticFiles files_;
  std::vector<std::unique_ptr<MountedRoute>> mounted_;
  bool has_prefetchers_ = false;
  Stages arrival_;
  Stages unmatched_;
  Stages file_preflight_;      ///< empty without files, and if CORS is disabled
  BackgroundPool background_;  // last, because it runs stages
};

}  // namespace fw::detail
