// Parsing that is fast the second time.
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
#include "frontend/parse.hpp"
#include "frontend/shared_header.hpp"

namespace fairway::frontend {

/// Gives what parse_file gives. Keeps in a directory what saves work: results, which are true as
/// long as nothing that they were made from has changed, and the framework's headers in Clang's own
/// form. What cannot be read or stored there is done without. One object serves one run, in which
/// files are taken not to change. Thread-safe; several processes may use one directory.
class CachingParser {
 public:
  struct Options {
    bool uses_results = true;  ///< of earlier runs; else only the framework's headers are kept
  };
  explicit CachingParser(const std::filesystem::path& directory) : CachingParser(directory, {}) {}
  CachingParser(const std::filesystem::path& directory, Options options);

  /// Throws what parse_file throws.
  model::ParsedFile parse(const ParseJob& job);
  /// A number for the file's text and for what `parse` would give, if that is known without Clang:
  /// the same number, the same text and result.
  std::optional<std::uint64_t> digest(const ParseJob& job);
  /// How many calls needed no Clang.
  std::size_t reused() const { return reused_; }

 private:
  /// Bytes of a result which is still current. Throws files::BadArchive.
  struct Entry {
    std::string bytes;
    std::size_t result_at = 0;
    files::Inputs inputs;
    std::uint64_t header = 0;
    files::Freshness freshness = files::Freshness::changed;
  };
  Entry find(const ParseJob& job, const std::string& name);
  std::optional<model::ParsedFile> load(const ParseJob& job, const std::string& name);
  void store(const std::string& name, const ParseResult& result);

  Options options_;
  files::CacheDirectory results_;
  files::InputChecker checker_;
  SharedHeaders headers_;
  std::string made_by_;
  std::atomic<std::size_t> reused_ = 0;
  std::once_flag tidied_;
};

}  // namespace fairway::frontend
