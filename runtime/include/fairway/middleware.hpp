// Middlewares (docs/middlewares.md).
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace fw {

struct AuthOptions;

/// The rest of the chain. A call runs the following stages and the handler, and returns when they
/// have returned. Call it at most once, on the thread of the middleware and before the middleware
/// returns; otherwise it throws std::logic_error. This also applies to copies.
class Next {
 public:
  /// For the framework, which creates it.
  explicit Next(std::function<void()> rest) : rest_(std::move(rest)) {}
  /// Runs the rest. Rethrows exceptions of the following stages and of the handler.
  void operator()() const { rest_(); }

 private:
  std::function<void()> rest_;
};

/// Runs before the handler, on the same thread; calls `next` to continue, or sets a response.
/// Called by several threads at a time.
using Middleware = std::function<void(Request&, Response&, Next)>;

/// Creates a middleware from the options in a route or in the configuration.
using MiddlewareFactory = std::function<Middleware(const Json& options)>;

/// The default export of a file in `src/middlewares`.
class MiddlewareDefinition {
 public:
  /// See `define_middleware`.
  explicit MiddlewareDefinition(MiddlewareFactory factory) : factory_(std::move(factory)) {}
  /// A middleware with these options. Rethrows exceptions of the factory.
  Middleware make(const Json& options) const { return factory_(options); }

 private:
  MiddlewareFactory factory_;
};

/// Defines a middleware by its function, or by a factory that takes the options.
template <class F>
MiddlewareDefinition define_middleware(F function) {
  if constexpr (std::is_invocable_r_v<void, F&, Request&, Response&, Next>) {
    return MiddlewareDefinition(
        [middleware = Middleware(std::move(function))](const Json&) { return middleware; });
  } else {
    static_assert(std::is_invocable_r_v<Middleware, F&, const Json&>,
                  "define_middleware takes fn(Request&, Response&, Next), or a factory "
                  "fn(const Json& options) that returns such a function");
    return MiddlewareDefinition(MiddlewareFactory(std::move(function)));
  }
}

/// A middleware that reads the request's credential and fills `req.auth()`
/// (docs/auth.md). Install it with `app.use` or as a route middleware. Include <fairway/auth.hpp>.
Middleware auth(AuthOptions options);

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/auth.hpp>
#endif
