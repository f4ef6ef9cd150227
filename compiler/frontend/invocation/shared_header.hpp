// The precompiled header of <fairway/fairway.hpp>, which takes most of the time of a parse. It is
// built once for all files with the same flags and kept between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "files/cache_directory.hpp"
#include "files/input.hpp"
#include "frontend/invocation/flags.hpp"

namespace fairway::frontend {

struct SharedHeader {
  std::string path;                       ///< of the precompiled header
  std::string text;                       ///< of its source file, also in the cache
  files::Inputs inputs;                   ///< its inputs
  std::vector<std::string> dependencies;  ///< inputs that are files of the user
  std::uint64_t meaning = 0;              ///< `content_hash` of the inputs
};

FAIRWAY_ARCHIVE(SharedHeader, path, text, inputs, dependencies, meaning)

/// The shared headers in one directory. An object must only be used for one run, because each file
/// is checked once. Thread-safe; several processes may use one directory.
class SharedHeaders {
 public:
  using Header = std::shared_ptr<const SharedHeader>;

  SharedHeaders(std::filesystem::path directory, files::InputChecker& checker)
      : cache_(std::move(directory)), checker_(checker) {}

  /// The header for these flags, built if there is none or if an input has changed. Null if it
  /// cannot be built or stored.
  Header get(const CompileFlags& flags);
  /// Rebuilds the header, once, after Clang has rejected the result of `get`.
  Header rebuild(const CompileFlags& flags);
  /// The header of this run, or of an earlier run if results that used it are still valid: its
  /// inputs may have new time stamps, but not new content. Otherwise null.
  Header known(const CompileFlags& flags);
  /// The directory of all files of these headers.
  const std::filesystem::path& directory() const { return cache_.path(); }

 private:
  struct Known {
    Header header;
    files::Freshness freshness = files::Freshness::changed;
  };
  struct Slot {
    std::once_flag looked_up, made, rebuilt_once;
    Known known;  // like the next two members, written only by the calls that the flags guard
    Header usable, rebuilt;
    Header latest;  // guarded by mutex_
  };
  Slot& slot(const std::string& key);
  const Known& look_up(Slot& slot, const std::string& key);
  Known load(const std::string& key);
  Header make(const CompileFlags& flags, const std::string& key, Slot& slot);
  Header make_files(const CompileFlags& flags, const std::string& key);
  void store(const std::string& key, const SharedHeader& header) const;

  files::CacheDirectory cache_;
  files::InputChecker& checker_;
  std::mutex mutex_;
  std::map<std::string, Slot> slots_;
};

/// Whether a header includes what route files need: "fairway/fairway.hpp" or "fairway/routes.hpp".
bool is_framework_header(std::string_view name);

/// Whether `text` begins with `#include <fairway/fairway.hpp>` or `#include <fairway/routes.hpp>`,
/// ignoring comments. Only then can a precompiled header replace the line, because a macro that is
/// defined before it could change the meaning of the header, and a file without it must not see its
/// declarations. For the route compiler, the second only includes the first.
bool begins_with_framework_header(std::string_view text);

}  // namespace fairway::frontend
