// Lifecycle events (docs/hooks.md).
#pragma once

#include <fairway/json_type.hpp>
#include <fairway/logger.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

namespace fw {

class App;
class FetchHeaders;
class FetchResponse;
class Request;
class Response;

/// The events. `kName` is the name of an event in messages. If `kPropagates` is true, an exception
/// of a handler is rethrown by the stage that emits the event; otherwise it is logged. `req`, `res`
/// and `app` are the request, its response and the application.
namespace hooks {

/// A request was received, and is not matched yet. An exception from a handler becomes the
/// response.
struct RequestStart {
  static constexpr std::string_view kName = "request:start";
  static constexpr bool kPropagates = true;
  Request& req;
  Response& res;
};
/// A route was found.
struct RouteMatched {
  static constexpr std::string_view kName = "route:matched";
  static constexpr bool kPropagates = true;
  Request& req;
  Response& res;
};
/// No route was found.
struct RouteNotFound {
  static constexpr std::string_view kName = "route:notFound";
  static constexpr bool kPropagates = false;
  Request& req;
  Response& res;
};
/// The declared parts of the request are valid.
struct ValidationSuccess {
  static constexpr std::string_view kName = "validation:success";
  static constexpr bool kPropagates = true;
  Request& req;
};
/// A declared part of the request is invalid. `error` becomes the response.
struct ValidationFailed {
  static constexpr std::string_view kName = "validation:error";
  static constexpr bool kPropagates = false;
  Request& req;
  std::exception_ptr error;  ///< a ValidationError, or what a validator has thrown
};
/// The handler is about to run. If a response is set, it does not run.
struct HandlerBefore {
  static constexpr std::string_view kName = "handler:before";
  static constexpr bool kPropagates = true;
  Request& req;
  Response& res;
};
/// The handler has returned.
struct HandlerAfter {
  static constexpr std::string_view kName = "handler:after";
  static constexpr bool kPropagates = false;
  Request& req;
  Response& res;
};
/// The handler has thrown `error`, which becomes the response.
struct HandlerError {
  static constexpr std::string_view kName = "handler:error";
  static constexpr bool kPropagates = false;
  Request& req;
  Response& res;
  std::exception_ptr error;  ///< the exception
};
/// A JSON response is about to be written: data, status and headers may still be changed.
struct ResponseBefore {
  static constexpr std::string_view kName = "response:before";
  static constexpr bool kPropagates = false;
  Request& req;
  Response& res;
  Json& data;   ///< without the envelope
  int& status;  ///< selects the response schema, which is applied afterwards
};
/// The response has been passed to the connection.
struct ResponseAfter {
  static constexpr std::string_view kName = "response:after";
  static constexpr bool kPropagates = false;
  Request& req;
  Response& res;
};
/// An error response is about to be sent: status and body may still be changed.
struct ErrorBeforeResponse {
  static constexpr std::string_view kName = "error:beforeResponse";
  static constexpr bool kPropagates = false;
  Request& req;
  Response& res;
  std::exception_ptr error;  ///< the exception
  int& status;               ///< of the response, 400 to 599
  Json& body;                ///< as it is sent, without envelope
};
/// The error response has been passed to the connection.
struct ErrorAfterResponse {
  static constexpr std::string_view kName = "error:afterResponse";
  static constexpr bool kPropagates = false;
  Request& req;
  Response& res;
  std::exception_ptr error;  ///< the exception
};
/// A response is taken from the cache.
struct CacheHit {
  static constexpr std::string_view kName = "cache:hit";
  static constexpr bool kPropagates = false;
  Request& req;
  std::string_view key;  ///< an argument for `fw::ResponseCache::erase`
};
/// The cache has no response: the handler runs.
struct CacheMiss {
  static constexpr std::string_view kName = "cache:miss";
  static constexpr bool kPropagates = false;
  Request& req;
  std::string_view key;  ///< an argument for `fw::ResponseCache::erase`
};
/// A response was stored.
struct CacheWrite {
  static constexpr std::string_view kName = "cache:write";
  static constexpr bool kPropagates = false;
  Request& req;
  std::string_view key;           ///< an argument for `fw::ResponseCache::erase`
  std::chrono::milliseconds ttl;  ///< time to live of the entry
};
/// The store of the cache failed: the handler runs, or its response is not stored.
struct CacheError {
  static constexpr std::string_view kName = "cache:error";
  static constexpr bool kPropagates = false;
  Request& req;
  std::string_view key;      ///< an argument for `fw::ResponseCache::erase`
  std::exception_ptr error;  ///< a StoreError
};
/// An outbound call is about to be made; emitted once, even if the call is repeated. Headers may
/// still be changed. An exception from a handler cancels the call.
struct FetchBefore {
  static constexpr std::string_view kName = "fetch:before";
  static constexpr bool kPropagates = true;
  const std::string& method;  ///< upper case
  const std::string& url;     ///< absolute
  FetchHeaders& headers;      ///< that will be sent; may be changed
  int attempt = 0;            ///< always 0
};
/// The response that the caller gets, of any status.
struct FetchAfter {
  static constexpr std::string_view kName = "fetch:after";
  static constexpr bool kPropagates = false;
  const std::string& method;      ///< upper case
  const std::string& url;         ///< absolute
  const FetchResponse& response;  ///< its body belongs to the caller
  int attempt;                    ///< 0 for the first
};
/// The caller gets an error.
struct FetchFailed {
  static constexpr std::string_view kName = "fetch:error";
  static constexpr bool kPropagates = false;
  const std::string& method;  ///< upper case
  const std::string& url;     ///< absolute
  std::exception_ptr error;   ///< what the caller gets, usually a FetchError
  int attempt;                ///< 0 for the first
};
/// A request is about to be forwarded; emitted once, even if it is repeated. Headers may still be
/// changed. An exception from a handler becomes the response.
struct ProxyBefore {
  static constexpr std::string_view kName = "proxy:before";
  static constexpr bool kPropagates = true;
  Request& req;
  const std::string& method;  ///< upper case
  const std::string& url;     ///< absolute
  FetchHeaders& headers;      ///< that will be sent; may be changed
  int attempt = 0;            ///< always 0
};
/// The head of the upstream's response, of any status.
struct ProxyAfter {
  static constexpr std::string_view kName = "proxy:after";
  static constexpr bool kPropagates = false;
  Request& req;
  const std::string& method;      ///< upper case
  const std::string& url;         ///< absolute
  const FetchResponse& response;  ///< its body has not been read
  int attempt;                    ///< 0 for the first
};
/// There is no response to forward.
struct ProxyFailed {
  static constexpr std::string_view kName = "proxy:error";
  static constexpr bool kPropagates = false;
  Request& req;
  const std::string& method;  ///< upper case
  const std::string& url;     ///< absolute
  std::exception_ptr error;   ///< usually a FetchError
  int attempt;                ///< 0 for the first
};
/// `setup` of the plugin is about to run.
struct PluginBeforeSetup {
  static constexpr std::string_view kName = "plugin:beforeSetup";
  static constexpr bool kPropagates = false;
  App& app;
  std::string_view plugin;  ///< its name
};
/// `setup` of the plugin has succeeded.
struct PluginAfterSetup {
  static constexpr std::string_view kName = "plugin:afterSetup";
  static constexpr bool kPropagates = false;
  App& app;
  std::string_view plugin;  ///< its name
};
/// `setup` of the plugin has thrown `error`; the application does not start.
struct PluginError {
  static constexpr std::string_view kName = "plugin:error";
  static constexpr bool kPropagates = false;
  App& app;
  std::string_view plugin;   ///< its name
  std::exception_ptr error;  ///< what `setup` has thrown
};
/// All routes are registered.
struct RoutesReady {
  static constexpr std::string_view kName = "routes:ready";
  static constexpr bool kPropagates = false;
  App& app;
};
/// The OpenAPI document is about to be prepared: once, at the start, when `openapi.enabled`.
struct OpenApiBeforeGenerate {
  static constexpr std::string_view kName = "openapi:beforeGenerate";
  static constexpr bool kPropagates = false;
  App& app;
};
/// The document is complete, with its members in order. Handlers may still change it.
struct OpenApiAfterGenerate {
  static constexpr std::string_view kName = "openapi:afterGenerate";
  static constexpr bool kPropagates = false;
  App& app;
  nlohmann::ordered_json& document;  ///< may be changed
};
/// A service was registered with `fw::add_announced`.
struct ServiceLoaded {
  static constexpr std::string_view kName = "service:loaded";
  static constexpr bool kPropagates = false;
  std::string_view service;  ///< its name
};
/// A function of such a service is about to be called. An exception from a handler goes to the
/// caller, and the function is not called.
struct ServiceBeforeCall {
  static constexpr std::string_view kName = "service:beforeCall";
  static constexpr bool kPropagates = true;
  std::string_view service;  ///< its name
  std::string_view method;   ///< as passed to `call`
};
/// The function has returned.
struct ServiceAfterCall {
  static constexpr std::string_view kName = "service:afterCall";
  static constexpr bool kPropagates = false;
  std::string_view service;           ///< its name
  std::string_view method;            ///< as passed to `call`
  std::chrono::nanoseconds duration;  ///< of the call
};
/// The function has thrown `error`, which its caller gets.
struct ServiceError {
  static constexpr std::string_view kName = "service:error";
  static constexpr bool kPropagates = false;
  std::string_view service;           ///< its name
  std::string_view method;            ///< as passed to `call`
  std::exception_ptr error;           ///< the exception
  std::chrono::nanoseconds duration;  ///< of the call
};
/// The port is about to be opened.
struct ServerBeforeListen {
  static constexpr std::string_view kName = "server:beforeListen";
  static constexpr bool kPropagates = true;
  App& app;
};
/// The port is open, and the `on_ready` callbacks have run.
struct AppReady {
  static constexpr std::string_view kName = "app:ready";
  static constexpr bool kPropagates = false;
  App& app;
};
/// The application has stopped, and the `on_close` callbacks have run.
struct AppClose {
  static constexpr std::string_view kName = "app:close";
  static constexpr bool kPropagates = false;
  App& app;
};

}  // namespace hooks

/// Handlers of lifecycle events, called in order of registration. Thread-safe.
class Hooks {
 public:
  /// Removes the handler that it was returned for.
  using Unsubscribe = std::function<void()>;

  /// Registers a handler, `void(Event&)`: `hooks.on<fw::hooks::AppReady>([](auto& event) { … })`.
  /// It may run on several threads at a time. The returned function removes it.
  template <class Event, class F>
  Unsubscribe on(F handler) {
    return add(typeid(Event), slot<Event>(), [handler = std::move(handler)](void* event) mutable {
      handler(*static_cast<Event*>(event));
    });
  }

  /// Calls the handlers of `event`. An exception is rethrown if `Event::kPropagates` is true;
  /// otherwise it is logged, and the next handler runs.
  template <class Event>
  void emit(Event& event, const Logger& logger) const {
    emit(typeid(Event), &event, Event::kName, Event::kPropagates, logger, nullptr);
  }
  /// The same until `is_over` returns true, which is called before each handler.
  template <class Event>
  void emit(Event& event, const Logger& logger, const std::function<bool()>& is_over) const {
    emit(typeid(Event), &event, Event::kName, Event::kPropagates, logger, &is_over);
  }

  /// Whether the event may have handlers. If it has none, a stage need not create the event. Takes
  /// no lock.
  template <class Event>
  bool any() const {
    return any(slot<Event>());
  }

 private:
  using Erased = std::function<void(void*)>;

  /// The number of the event. Beyond 64 events, several share one.
  template <class Event>
  static unsigned slot() {
    static const unsigned number = next_slot();
    return number;
  }
  static unsigned next_slot();

  Unsubscribe add(std::type_index type, unsigned slot, Erased handler);
  void emit(std::type_index type, void* event, std::string_view name, bool propagates,
            const Logger& logger, const std::function<bool()>* is_over) const;
  bool any(unsigned slot) const;

  struct State;
  std::shared_ptr<State> state_ = make_state();
  static std::shared_ptr<State> make_state();
};

}  // namespace fw
