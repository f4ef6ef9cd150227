// What a result depends on: files as they were when they were read, and files that were looked for
// in vain.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "files/archive.hpp"

namespace fairway::files {

/// What shows without reading whether a file is the one that was seen.
struct Identity {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< nanoseconds
  std::uint64_t number = 0;   ///< the inode

  bool operator==(const Identity&) const = default;
};

struct Input {
  enum class Kind {
    missing,  ///< was looked for and is not there
    present,  ///< is there; its content does not matter
    listed,   ///< a directory whose entries were read
    read,     ///< a file
  };
  Kind kind = Kind::missing;
  Identity identity;          ///< of a file or a listed directory
  std::uint64_t content = 0;  ///< of a file: `content_hash`

  bool operator==(const Input&) const = default;
};

/// By absolute path.
using Inputs = std::map<std::string, Input, std::less<>>;

template <class Archive, Like<Identity> T>
void archive_members(Archive& archive, T& identity) {
  auto& [size, modified, number] = identity;
  archive(size, modified, number);
}

template <class Archive, Like<Input> T>
void archive_members(Archive& archive, T& input) {
  auto& [kind, identity, content] = input;
  archive(kind, identity, content);
}

/// The identity to keep beside a file's content. A file that was written a moment ago may be
/// written again without a new time stamp: its identity is kept as one that no file has, so that
/// its content is compared (the "racy" rule of git).
Identity recorded(Identity identity);

/// A file as it is now, of which nothing is read: `content` stays 0.
Input look_at(const std::string& path);

std::uint64_t content_hash(std::string_view bytes);

/// A number for what the inputs say, without the identities: equal when nothing of meaning differs.
std::uint64_t meaning_hash(const Inputs& inputs);

enum class Freshness {
  changed,
  same_content,  ///< but not the same identities
  same,
};

/// Compares inputs with the files of today. Looks at each file once: one object serves one run.
/// Thread-safe.
class InputChecker {
 public:
  Freshness check(std::string_view path, const Input& input);
  /// The least fresh of all. `same_content` updates the identities in `inputs`.
  Freshness check(Inputs& inputs);

 private:
  struct Today {
    Input state;
    bool hashed = false;
  };
  Today& today(std::string_view path);

  std::mutex mutex_;
  std::unordered_map<std::string, Today> seen_;
};

}  // namespace fairway::files
