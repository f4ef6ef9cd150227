// Files that an application serves from a directory (docs/static-files.md).
#pragma once

#include <map>
#include <string>

namespace fw {

/// Files that clients may keep for a year without asking again. Their names must change with their
/// content.
enum class ImmutableFiles {
  hashed,  ///< those with a hash in their name: 8 or more hexadecimal digits, as in app.3f8a2c91.js
  all,
  none,
};

/// How the files of a directory are served.
struct StaticOptions {
  std::string index = "index.html";  ///< sent for a directory; empty: no file is
  /// The file that is sent if a browser requests a page that does not exist, for single-page
  /// applications; relative to the root. Empty: the response is 404.
  std::string fallback = {};
  ImmutableFiles immutable = ImmutableFiles::hashed;  ///< sent with `Cache-Control: …, immutable`
  std::string cache_control = "no-cache";  ///< of files that are not immutable; empty: no header
  bool precompressed = true;  ///< sends app.js.br, .zst or .gz to clients that accept it
  bool dot_files = false;  ///< false: names that begin with a dot do not exist, except .well-known
  std::map<std::string, std::string> media_types = {};  ///< by extension; override the defaults
};

/// An entry of `static` in the configuration.
struct StaticConfig {
  std::string prefix = {};     ///< beginning of the request paths: "/assets"
  std::string root = {};       ///< the directory
  StaticOptions options = {};  ///< how the files are served
};

}  // namespace fw
