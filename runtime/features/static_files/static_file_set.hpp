// The directories that an application serves files from, and the file that a path names
// (docs/static-files.md).
#pragma once

#include <fairway/static_files.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/open_file.hpp"
#include "compression/coding.hpp"
#include "compression/compression_policy.hpp"

namespace fw::detail {

class Exchange;

/// Remembers which files do not exist, so that each request need not look for them. Names of files,
/// as hashes, that did not exist less than a second ago. Its size is fixed: a name may replace
/// another one. Thread-safe.
class AbsentFiles {
 public:
  using Clock = std::chrono::steady_clock;

  bool has(std::uint64_t name, Clock::time_point now) const {
    const std::uint64_t slot = slots_[name % kSlots].load(std::memory_order_relaxed);
    return (slot & ~kTicks) == (name & ~kTicks) && ((tick(now) - slot) & kTicks) < kLife;
  }
  void add(std::uint64_t name, Clock::time_point now) {
    slots_[name % kSlots].store((name & ~kTicks) | tick(now), std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::uint64_t kTicks = 0xFFFFF;  ///< these bits are the time, the others a name
  static constexpr std::uint64_t kLife = 4;         ///< ticks

  static std::uint64_t tick(Clock::time_point now) {
    const auto time = now.time_since_epoch() / std::chrono::milliseconds(250);
    return static_cast<std::uint64_t>(time) & kTicks;
  }

  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
};

/// A file to send, or where a client finds it.
struct StaticFile {
  std::optional<OpenFile> file;
  std::string redirect = {};  ///< instead of a file: the path of its directory, encoded
  std::string content_type = {};
  std::string cache_control = {};
  bool may_be_precompressed = false;          ///< the response depends on Accept-Encoding
  bool is_fallback = false;                   ///< the response depends on Accept
  std::optional<compression::Coding> coding;  ///< that the bytes of the file have

  std::uint64_t size() const { return *file->size(); }
  std::string entity_tag() const;
};

/// The parts of a request that select a file.
struct FileRequest {
  std::string_view path;  ///< of the request target, encoded
  std::optional<std::string_view> accept_encoding;
  bool is_navigation = false;  ///< a browser asks for a page
  AbsentFiles::Clock::time_point now = AbsentFiles::Clock::now();
};

/// Set up before the application serves, constant afterwards.
class StaticFiles {
 public:
  /// Serves the files below a directory. Appends the errors in `config` to `errors`.
  void add(StaticConfig config, std::vector<std::string>& errors);

  bool empty() const { return mounts_.empty(); }
  /// Whether the response for a path without a file depends on Accept.
  bool has_fallback(std::string_view path) const;

  /// Throws std::system_error if descriptors or memory have run out, or if the directory no longer
  /// exists. `compressed_types` determines which media types may have compressed files.
  std::optional<StaticFile> find(const FileRequest& request,
                                 const compression::CompressionPolicy& compressed_types) const;

 private:
  struct Mount {
    StaticConfig config;
    std::unique_ptr<KeptDirectory> root;
    std::unique_ptr<AbsentFiles> absent;  ///< compressed ones
  };
  struct Lookup;

  /// The mount for a path, null if there is none, and the rest of the path.
  std::pair<const Mount*, std::string_view> mount_of(std::string_view path) const;

  std::vector<Mount> mounts_;  ///< the longest prefix first
};

/// Whether the name of a file has a hash of its content: 8 to 64 hexadecimal digits, letters and
/// figures among them, after a dot, a dash or an underscore.
bool has_hash(std::string_view name);

// media_types.cpp

/// The extension of a file's name, without the dot; empty if it has none.
std::string_view extension_of(std::string_view name);

/// The value of Content-Type for an extension in any case; "application/octet-stream" for one that
/// is not known. Text is UTF-8.
std::string_view media_type_of(std::string_view extension);

// static_files_stage.cpp

/// Looks for the file of a request without a route, and keeps it in the exchange.
bool find_file(Exchange& exchange, const StaticFiles& files);

}  // namespace fw::detail
