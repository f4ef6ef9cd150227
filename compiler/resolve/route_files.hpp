// The meaning of a file's path below the source directory (docs/routing.md), and re-exports.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/parsed_file.hpp"

namespace fairway::resolve {

enum class FileRole { route, middleware, plugin, other };

/// By the top folder: "routes/…", "middlewares/…" or "plugins/…".
FileRole role_of(std::string_view path);

/// "routes/api/orders.cpp" gives "/api/orders", "routes/index.cpp" gives "/".
std::string prefix_of(std::string_view path);

/// The tag of a route file: its path without "routes/", extension and trailing "index"; "root" for
/// the index file at the top.
std::string tag_of(std::string_view path);

/// The name of a middleware or plugin: its path without the top folder and the extension.
std::string component_name(std::string_view path);

// Follows FW_REEXPORT_DEFAULT.

/// All files of a run by their path below the source directory.
using FileIndex = std::map<std::string, const model::ParsedFile*>;

/// The files from a route file to the one whose registrations it serves.
struct Reexports {
  const model::ParsedFile* source = nullptr;    ///< the file with the registrations; null if none
  std::vector<const model::ParsedFile*> chain;  ///< the files that re-export, in order
  std::string
      missing_target;     ///< the path that the last of them re-exports, if it is no route file
  bool is_cycle = false;  ///< the last of them re-exports the first
};

Reexports follow_reexports(const model::ParsedFile& file, const FileIndex& files);

// operation_id.cpp: Inference of operation ids (docs/openapi.md).

/// The id of a route without `operation_id`: "GET" and "/users/:id" give "getUsersById". `method`
/// is upper case, `path` the final path.
std::string inferred_operation_id(std::string_view method, std::string_view path);

}  // namespace fairway::resolve
