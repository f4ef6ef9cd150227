// Processes requests: from the transaction to the sent response.
#pragma once

#include <fairway/middleware.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/adapter.hpp"
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

  /// Adds a route. Appends to `errors` what is wrong with its path or declaration.
  void add(Route route, std::vector<std::string>& errors);

  /// What was added, in order; valid until more is added.
  std::vector<const Route*> routes() const;

  /// Composes every chain. Nothing may be added afterwards.
  void compose(const std::vector<Middleware>& global_middlewares,
               const ResolveMiddleware& resolve_middleware, std::vector<std::string>& errors);

  void handle(const std::shared_ptr<http::Transaction>& transaction) const;

  ResponseCache& cache() { return responses_; }

  /// What the body of a request may have; 0 when there is no route for it. Thread-safe.
  std::uint64_t body_limit(const http::RequestHead& head) const;

 private:
  struct MountedRoute {
    Route route;
    Stages chain;
    Stages preflight;
  };

  /// Looks the route up and runs its chain.
  void dispatch(Exchange& exchange) const;
  /// The plan whose settings apply to a preflight: that of the method which the preflight announces
  /// or, as no request can follow where there is none, of any method of the path. Null for a
  /// request that is no preflight and for a path without routes. `match` is the request's own.
  const MountedRoute* find_preflighted(Exchange& exchange, const Matcher::Match& match) const;
  /// `error` is what the response reports, if it does. A stream keeps the exchange until it ends.
  void send(const std::shared_ptr<Exchange>& exchange, const std::exception_ptr& error) const;
  void announce_sent(Exchange& exchange, const std::exception_ptr& error) const;
  /// Makes the request the thread's current one, where that is configured.
  CurrentContextScope enter_context(const Exchange& exchange) const;
  /// Errors in responding, such as memory running out, are only logged.
  void report_no_response(const std::exception_ptr& error) const;

  const Environment& env_;
  Matcher matcher_;
  StoredResponses responses_;
  std::vector<std::unique_ptr<MountedRoute>> mounted_;
  Stages arrival_;
  Stages unmatched_;
};

}  // namespace fw::detail
