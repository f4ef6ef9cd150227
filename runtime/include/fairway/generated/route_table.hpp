// The table that `fairway build` generates for an application and `App::mount` reads: the resolved
// routes as constant data, and the default exports that contain their handlers.
#pragma once

#include <span>
#include <string_view>

namespace fw {

class DefaultExport;

namespace detail {
struct RouteTypes;
struct TypeRow;

struct CachedRoutes;
struct DocsViewer;
struct McpTools;
struct PageRendering;
struct PageRoutes;
extern const CachedRoutes kCachedRoutes;
extern const DocsViewer kDocsViewer;
extern const McpTools kMcpTools;
extern const PageRendering kPageRendering;
extern const PageRoutes kPageRoutes;

/// Parts of the framework that only some applications use. A program contains those that its table
/// names. Null: the application does not use it.
struct Features {
  const CachedRoutes* cached_routes = nullptr;    ///< routes with `cache` or `frontend`
  const DocsViewer* docs_viewer = nullptr;        ///< `openapi.enabled` in a file of `config/`
  const McpTools* mcp_tools = nullptr;            ///< routes with `mcp`
  const PageRendering* page_rendering = nullptr;  ///< files of `src/pages`
  const PageRoutes* page_routes = nullptr;        ///< routes with `frontend`
};

/// All of them, for tables that `fairway build` has not generated.
extern const Features kAllFeatures;
}  // namespace detail

/// One resolved route. `options` identifies the options it was resolved with; if the factory
/// registers something else, the application does not start.
struct RouteRow {
  std::string_view method;        ///< upper case; "SOCKET" for a socket
  std::string_view subpath;       ///< as registered in the factory
  std::string_view path;          ///< final template: "/users/:id"
  std::string_view operation_id;  ///< unique in the application
  std::string_view options;       ///< a digest of each: "validate=0a1b2c3d docs=4e5f6071"
  unsigned line;                  ///< of the registration in its file
};

/// One route file with its routes in registration order.
struct RouteFileRow {
  std::string_view file;                      ///< as shown in messages: "src/routes/users.cpp"
  std::string_view prefix;                    ///< of all its routes: "/users"
  const DefaultExport* definition;            ///< its default export
  std::span<const RouteRow> routes;           ///< in registration order
  const detail::RouteTypes* types = nullptr;  ///< one for each route; null: none has types
};

/// A middleware or plugin file; its name is what routes and plugins refer to.
struct ComponentRow {
  std::string_view name;            ///< of the file, without extension
  std::string_view file;            ///< as shown in messages
  const DefaultExport* definition;  ///< its default export
};

/// A file below `src/pages`, which `Response::render` and the routes of pages use.
struct PageFileRow {
  std::string_view path;                      ///< below that directory: "products/list.html"
  std::span<const std::string_view> content;  ///< in parts, because literals have a limited length
};

/// A static page that the build has rendered.
struct StaticPageRow {
  std::string_view path;                      ///< of its route: "/products/:id"
  std::span<const std::string_view> content;  ///< in parts
};

/// A whole application. Returned by the generated function `fairway_app()`; lives as long as the
/// program.
struct AppTable {
  std::string_view name;                      ///< of the CMake target
  std::span<const RouteFileRow> files;        ///< route files
  std::span<const ComponentRow> middlewares;  ///< files of `src/middlewares`
  std::span<const ComponentRow> plugins;      ///< files of `src/plugins`
  std::string_view openapi;                   ///< the OpenAPI document, JSON
  std::span<const PageFileRow> pages = {};    ///< files of `src/pages`
  /// The directory of the pages as shown in messages: "src/pages". In development, they are read
  /// from there, if it exists below the working directory.
  std::string_view pages_directory = {};
  /// The pages of a route in the order of its `static_params`.
  std::span<const StaticPageRow> static_pages = {};
  std::string_view pages_version = {};  ///< of `pages`, from which `static_pages` were rendered
  std::span<const detail::TypeRow* const> types = {};  ///< the types that routes use
  /// What the program contains for this application. Never null.
  const detail::Features* features = &detail::kAllFeatures;
};

}  // namespace fw
