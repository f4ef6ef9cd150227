// The default export of a route file:
//
//   FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
//     app.get("/", [](fw::Request&, fw::Response& res) { res.json("hello"); });
//   });
#pragma once

#include <fairway/declared.hpp>
#include <fairway/middleware.hpp>
#include <fairway/plugin.hpp>
#include <fairway/router.hpp>

#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace fw {

/// What `define_routes` returns: the factory that registers a file's routes.
class RouteDefinition {
 public:
  /// See `define_routes`.
  explicit RouteDefinition(std::function<void(Router&)> factory) : factory_(std::move(factory)) {}
  /// Registers the routes. Rethrows exceptions of the factory.
  void run(Router& router) const { factory_(router); }

 private:
  std::function<void(Router&)> factory_;
};

/// `factory` is `void(fw::Router&)`, defined in the same file.
template <class F>
RouteDefinition define_routes(F factory) {
#ifndef FAIRWAY_ROUTE_COMPILER  // the route compiler has a better message for these
  static_assert(std::is_invocable_v<F&, Router&>, "a route factory takes fw::Router&");
  static_assert(std::is_void_v<std::invoke_result_t<F&, Router&>>,
                "a route factory returns nothing");
#endif
  return RouteDefinition(std::move(factory));
}

/// Marks a file that serves the routes of another file under its own prefix.
struct Reexport {
  std::string_view path;  ///< relative to the re-exporting file, with extension
};

/// The default export of a route, middleware or plugin file.
class DefaultExport {
 public:
  /// @{
  /// What `FW_EXPORT_DEFAULT` is initialised with.
  DefaultExport(RouteDefinition routes);
  DefaultExport(MiddlewareDefinition middleware);
  DefaultExport(PluginDefinition plugin);
  DefaultExport(Reexport reexport);
  /// @}

  /// @{
  /// The definition; null if the file exports something else.
  const RouteDefinition* routes() const;
  const MiddlewareDefinition* middleware() const;
  const PluginDefinition* plugin() const;
  /// @}

 private:
  using Definition =
      std::variant<RouteDefinition, MiddlewareDefinition, PluginDefinition, Reexport>;

  detail::Constant<Definition> definition_;
};

}  // namespace fw

// The name of a file's export is `fairway_default_export`; the build defines this name as a macro,
// so that each file's export has a unique name. The name is pasted from two parts because GCC
// rejects a precompiled header that mentions a macro of the command line.
#define FAIRWAY_DETAIL_JOIN(first, second) first##second
#define FAIRWAY_DETAIL_JOIN_EXPANDED(first, second) FAIRWAY_DETAIL_JOIN(first, second)
#define FAIRWAY_DETAIL_EXPORT FAIRWAY_DETAIL_JOIN(fairway_default_, export)

// The generated header of a route file defines the macro `<export>_types` as `~, declarations` if
// the file defines types of its own: these declarations follow the types. Otherwise the name is
// dropped.
#define FAIRWAY_DETAIL_REST(first, ...) __VA_ARGS__
#define FAIRWAY_DETAIL_REST_EXPANDED(...) FAIRWAY_DETAIL_REST(__VA_ARGS__)
#define FAIRWAY_DETAIL_TYPES \
  FAIRWAY_DETAIL_REST_EXPANDED(FAIRWAY_DETAIL_JOIN_EXPANDED(FAIRWAY_DETAIL_EXPORT, _types))

/// Declares the default export of this file: `FW_EXPORT_DEFAULT = fw::define_routes(…);`
#define FW_EXPORT_DEFAULT                                 \
  FAIRWAY_DETAIL_TYPES                                    \
  extern const ::fw::DefaultExport FAIRWAY_DETAIL_EXPORT; \
  const ::fw::DefaultExport FAIRWAY_DETAIL_EXPORT

/// Serves another route file's default export under this file's prefix.
#define FW_REEXPORT_DEFAULT(path)                         \
  extern const ::fw::DefaultExport FAIRWAY_DETAIL_EXPORT; \
  const ::fw::DefaultExport FAIRWAY_DETAIL_EXPORT = ::fw::Reexport { path }
