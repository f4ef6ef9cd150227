// Parses files with a cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "files/cache_directory.hpp"
#include "files/input.hpp"
#include "frontend/invocation/shared_header.hpp"
#include "frontend/parse.hpp"

namespace fairway::frontend {

/// Returns the same results as parse_file. Caches in a directory the results, which are valid as
/// long as their inputs do not change, and the precompiled framework headers. I/O errors count as
/// cache misses. An object must only be used for one run, in which files are assumed not to change.
/// Thread-safe; several processes may use one directory.
class CachingParser {
 public:
  struct Options {
    bool uses_results =
        true;  ///< uses results of earlier runs; otherwise only the precompiled headers
  };
  /// Without a directory, nothing is cached.
  explicit CachingParser(const std::filesystem::path& directory) : CachingParser(directory, {}) {}
  CachingParser(const std::filesystem::path& directory, Options options);

  /// Throws like parse_file.
  ParseResult parse(const ParseJob& job);
  /// A hash of the text of the file and of the result of `parse`, if it is known without Clang.
  /// Equal hashes mean equal texts and results.
  std::optional<std::uint64_t> digest(const ParseJob& job);
  const std::filesystem::path& directory() const { return directory_; }
  /// The number of calls whose result came from the cache.
  std::size_t reused() const { return reused_; }

 private:
  /// The bytes of a result that is up to date. Throws files::BadArchive.
  struct Entry {
    std::string bytes;
    std::size_t result_at = 0;
    files::Inputs inputs;
    std::uint64_t header = 0;
    files::Freshness freshness = files::Freshness::changed;
  };
  Entry find(const ParseJob& job, const std::string& name);
  std::optional<ParseResult> load(const ParseJob& job, const std::string& name);
  void store(const std::string& name, const ParseResult& result);

  bool uses_results() const { return options_.uses_results && !directory_.empty(); }

  std::filesystem::path directory_;
  Options options_;
  files::CacheDirectory results_;
  files::InputChecker checker_;
  SharedHeaders headers_;
  std::string made_by_;
  std::atomic<std::size_t> reused_ = 0;
  std::once_flag tidied_;
};

}  // namespace fairway::frontend
