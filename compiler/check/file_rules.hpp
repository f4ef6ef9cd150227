// The rules of files, and what follows from their paths.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "check/reporter.hpp"
#include "model/parsed_file.hpp"

namespace fairway::check {

// route_files.cpp: What a file's path below the source directory means (reference: Path
// mapping).

enum class FileRole { route, middleware, plugin, other };

/// By the top folder: "routes/…", "middlewares/…" or "plugins/…".
FileRole role_of(std::string_view path);

/// "routes/api/orders.cpp" gives "/api/orders", "routes/index.cpp" gives "/".
std::string prefix_of(std::string_view path);

/// The tag of a route file: its path without "routes/", ending and a last "index"; "root" for the
/// index at the top.
std::string tag_of(std::string_view path);

/// The name of a middleware or plugin: its path without folder and ending.
std::string unit_name(std::string_view path);

// operation_id.cpp: Inference of operation ids (reference: Documentation metadata).

/// The id of a route that writes none: "GET" and "/users/:id" give "getUsersById". `method` is
/// upper case, `path` the final path.
std::string inferred_operation_id(std::string_view method, std::string_view path);

// export_kind.cpp: [no-default-export] [not-a-route-definition] A file exports what its folder
// is for.

/// Says nothing about a file whose export the front end has reported on.
void check_export_kind(const model::ParsedFile& file, Reporter& reporter);

// reexport_not_resolvable.cpp: [reexport-not-resolvable] FW_REEXPORT_DEFAULT names a route file,
// and chains of them end.

/// All files of a run by their path below the source directory.
using FileIndex = std::map<std::string, const model::ParsedFile*>;

/// The file whose registrations a route file serves: the file itself or the end of its chain of
/// re-exports. Null when there is none; the error is reported at the one file that causes it.
const model::ParsedFile* exporting_file(const model::ParsedFile& file, const FileIndex& files,
                                        Reporter& reporter);

}  // namespace fairway::check
