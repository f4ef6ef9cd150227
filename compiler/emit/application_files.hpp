// The generated files of an application, each emitted by its own source file.
#pragma once

#include <string>
#include <vector>

#include "model/application.hpp"
#include "resolve/generated_code.hpp"

namespace fairway::emit {

// manifest.cpp: `routes.manifest.json`: the resolved model, for other tools.

/// The manifest as indented text with a line end. Deterministic.
std::string emit_manifest(const model::Application& application);

// app_table.cpp: `app_table.hpp` and `app_table.cpp`: the route table of an application.

/// Declares `fairway_app()`, or `<name>_app()` for one of several applications.
std::string emit_app_table_header(const model::Application& application);

/// Defines that function. `openapi` is the document that the application serves, and
/// `has_docs_viewer` whether it shows it in a page, too.
std::string emit_app_table(const model::Application& application, const model::Json& openapi,
                           bool has_docs_viewer);

/// The path of the header below the include directory: "fairway/app_table.hpp", or
/// "fairway/<name>/app_table.hpp".
std::string app_table_header_path(const model::Application& application);

// route_types.cpp: `<file>.routes.hpp` and `<file>.routes.cpp`: the typed structs of one route
// file, and the functions that read them.

struct RouteTypeFiles {
  /// For each route with schemas, a struct named after its operation id, with the types Param,
  /// Query, Header, Cookie, Body and Response<selector>.
  std::string header;
  /// The functions of these structs, and their array for the table.
  std::string source;
};
RouteTypeFiles emit_route_types(const model::Application& application,
                                const model::RouteFile& file);

/// For the route compiler itself, which reads files with the types of their schemas.
struct RouteTypeDeclarations {
  /// As in `RouteTypeFiles`, but without the code of the types that the file defines itself: that
  /// is only known when the file has been read with this header. Attributes of types contain their
  /// schemas.
  std::string header;
  resolve::HeaderTypes types;
};
RouteTypeDeclarations emit_route_declarations(const model::Application& application,
                                              const model::RouteFile& file);

/// The functions that rules use to compare the source with what would be generated.
resolve::GeneratedCode generated_code();

/// Whether the source of a route file defines an array for the table, `types_name(…)`.
bool has_runtime_types(const model::RouteFile& file);

/// The path of the source below the output directory: "routes/api/users.routes.cpp". It includes
/// the header by the path from there, so that it compiles with any include directories.
std::string routes_source_path(const model::RouteFile& file);

// static_pages.cpp: The static pages of an application, rendered by the build: `mode` "static" of
// `frontend`.

struct StaticPages {
  struct Page {
    std::string path;  ///< of the route: "/products/:id"
    std::string html;
  };
  std::string version;      ///< of the page files; other ones may look different
  std::vector<Page> pages;  ///< pages of a route in the order of its `static_params`
};

/// Renders them with the templates of the runtime. Errors are left to the application, which
/// renders missing pages when it starts.
StaticPages render_static_pages(const model::Application& application);

// type_code.cpp: The code that reads and writes C++ types of an application (docs/types.md).

/// The name of the row of a type in the table.
std::string type_row_name(const model::UsedType& used, const model::Application& application);

/// `types.cpp`: the code of the types that headers define, and their rows. Includes headers by
/// their paths from the source directory.
std::string emit_types(const model::Application& application);

/// What the header of a route file contains for the types that this file defines: the code, and the
/// macro that FW_EXPORT_DEFAULT expands where they are defined. Empty if it defines none.
std::string local_types_text(const model::Application& application, const model::RouteFile& file);

}  // namespace fairway::emit
