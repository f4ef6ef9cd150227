// The inputs of a result: files with their state when they were read, and negative lookups.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "files/archive.hpp"

namespace fairway::files {

/// The properties of a file that show, without reading it, whether it has changed.
struct Identity {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< nanoseconds
  std::int64_t changed = 0;   ///< nanoseconds: ctime, which tools cannot restore as they do mtime
  std::uint64_t number = 0;   ///< the inode

  bool operator==(const Identity&) const = default;
};

struct Input {
  enum class Kind {
    missing,  ///< looked for, but does not exist
    present,  ///< exists; its content does not matter
    listed,   ///< a directory whose entries were read
    read,     ///< a file
  };
  Kind kind = Kind::missing;
  Identity identity;          ///< of a file or a listed directory
  std::uint64_t content = 0;  ///< of a file: `content_hash`

  bool operator==(const Input&) const = default;
};

/// The content of files that is newer than on disk, by absolute path: the unsaved buffers of an
/// editor.
using UnsavedFiles = std::map<std::string, std::string, std::less<>>;

/// By absolute path.
using Inputs = std::map<std::string, Input, std::less<>>;

FAIRWAY_ARCHIVE(Identity, size, modified, changed, number)
FAIRWAY_ARCHIVE(Input, kind, identity, content)

/// The identity to store with the content of a file. A file that has just been written may be
/// written again without a new time stamp. In that case the result equals the identity of no file,
/// so that the content is compared (the "racy" rule of git).
Identity recorded(Identity identity);

/// The current state of a file without reading it: `content` is 0.
Input look_at(const std::string& path);

std::uint64_t content_hash(std::string_view bytes);

/// Whether the file is a header with the types of a route file, which `fairway build` has written.
bool is_generated_header(const std::string& path);

/// A hash of the inputs without their identities. Equal if the same files have the same content.
std::uint64_t content_hash(const Inputs& inputs);

enum class Freshness {
  changed,
  same_content,  ///< but other identities
  same,
};

/// Compares inputs with the current files. Generated headers count as missing, because they are not
/// read. Checks each file once, so an object must only be used for one run. Thread-safe.
class InputChecker {
 public:
  Freshness check(std::string_view path, const Input& input);
  /// The freshness of the least fresh input. If it is `same_content`, updates the identities in
  /// `inputs`.
  Freshness check(Inputs& inputs);

 private:
  struct Current {
    Input state;
    bool hashed = false;
  };
  Current& current(std::string_view path);

  std::mutex mutex_;
  std::unordered_map<std::string, Current> seen_;
};

}  // namespace fairway::files
