// The rules about files, and the prefixes, tags and names that are derived from their paths.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "check/reporter.hpp"
#include "model/parsed_file.hpp"

namespace fairway::check {

// route_files.cpp: The meaning of a file's path below the source directory (docs/routing.md).

enum class FileRole { route, middleware, plugin, other };

/// By the top folder: "routes/…", "middlewares/…" or "plugins/…".
FileRole role_of(std::string_view path);

/// "routes/api/orders.cpp" gives "/api/orders", "routes/index.cpp" gives "/".
std::string prefix_of(std::string_view path);

/// The tag of a route file: its path without "routes/", extension and trailing "index"; "root" for
/// the index file at the top.
std::string tag_of(std::string_view path);

/// The name of a middleware or plugin: its path without the top folder and the extension.
std::string unit_name(std::string_view path);

// operation_id.cpp: Inference of operation ids (docs/openapi.md).

/// The id of a route without `operation_id`: "GET" and "/users/:id" give "getUsersById". `method`
/// is upper case, `path` the final path.
std::string inferred_operation_id(std::string_view method, std::string_view path);

// export_kind.cpp: [no-default-export] [not-a-route-definition] A file must export the kind of
// value that its folder requires.

/// Reports no missing export of a file in which the front end has already reported an error.
void check_export_kind(const model::ParsedFile& file, Reporter& reporter);

// reexport_not_resolvable.cpp: [reexport-not-resolvable] FW_REEXPORT_DEFAULT must name a route
// file, and re-exports must not form a cycle.

/// All files of a run by their path below the source directory.
using FileIndex = std::map<std::string, const model::ParsedFile*>;

/// The file whose registrations a route file serves: the file itself or the end of its chain of
/// re-exports. Null if there is none; the error is reported only for the file that causes it.
const model::ParsedFile* exporting_file(const model::ParsedFile& file, const FileIndex& files,
                                        Reporter& reporter);

}  // namespace fairway::check
