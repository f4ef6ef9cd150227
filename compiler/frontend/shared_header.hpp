// <fairway/fairway.hpp> in Clang's own form: what takes most of the time of a parse, done once for
// all files of the same flags and kept between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "files/cache_directory.hpp"
#include "files/input.hpp"
#include "frontend/parse.hpp"

namespace fairway::frontend {

struct SharedHeader {
  std::string path;                       ///< of the precompiled header
  std::string text;                       ///< of the file that it was made from, in the cache too
  files::Inputs inputs;                   ///< what it was made from
  std::vector<std::string> dependencies;  ///< those of its inputs that are the user's
  std::uint64_t meaning = 0;              ///< `meaning_hash` of the inputs
};

template <class Archive, files::Like<SharedHeader> T>
void archive_members(Archive& archive, T& header) {
  auto& [path, text, inputs, dependencies, meaning] = header;
  archive(path, text, inputs, dependencies, meaning);
}

/// The shared headers in one directory. Serves one run: what has been looked at is not looked at
/// again. Thread-safe; several processes may use one directory.
class SharedHeaders {
 public:
  using Header = std::shared_ptr<const SharedHeader>;

  SharedHeaders(std::filesystem::path directory, files::InputChecker& checker)
      : cache_(std::move(directory)), checker_(checker) {}

  /// The header for these flags, made when there is none or when one of its inputs has changed.
  /// Null when it cannot be made or stored.
  Header get(const CompileFlags& flags);
  /// The same after Clang has rejected what `get` returned: rebuilt, once.
  Header get_anew(const CompileFlags& flags);
  /// The header that was made in this run, or in an earlier one if results that used it are still
  /// true: its inputs may have new times, but not new content. Otherwise null.
  Header known(const CompileFlags& flags);
  /// Where everything of these headers lies.
  const std::filesystem::path& directory() const { return cache_.path(); }

 private:
  struct Known {
    Header header;
    files::Freshness freshness = files::Freshness::changed;
  };
  struct Slot {
    std::once_flag looked_up, made, made_anew;
    Known known;  // written by the calls that the flags guard, as are the next two
    Header usable, anew;
    Header latest;  // guarded by mutex_
  };
  Slot& slot(const std::string& key);
  const Known& look_up(Slot& slot, const std::string& key);
  Known load(const std::string& key);
  Header make(const CompileFlags& flags, const std::string& key, Slot& slot);
  Header make_files(const CompileFlags& flags, const std::string& key);

  files::CacheDirectory cache_;
  files::InputChecker& checker_;
  std::mutex mutex_;
  std::map<std::string, Slot> slots_;
};

/// The header that declares all of the framework.
inline constexpr std::string_view kUmbrella = "fairway/fairway.hpp";

/// Whether `text` begins with `#include <fairway/fairway.hpp>`, comments aside. Only then may a
/// precompiled header replace that line: a macro defined above it could change what the header
/// means, and a file without it must not see what it has not included.
bool begins_with_umbrella(std::string_view text);

}  // namespace fairway::frontend
