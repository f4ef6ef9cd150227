// What a file's place below the source directory means (reference: Path mapping).
#pragma once

#include <string>
#include <string_view>

namespace fairway::check {

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

}  // namespace fairway::check
