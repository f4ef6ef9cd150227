// The parser for a command line, with a cache if there is a directory for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/common_options.hpp"
#include "frontend/caching_parser.hpp"

namespace fairway::cli {

class SourceParser {
 public:
  explicit SourceParser(const ProjectOptions& options);

  /// Like frontend::parse_file, with the inputs of the result. Thread-safe.
  frontend::ParseResult parse(const frontend::ParseJob& job) const;
  /// Like frontend::CachingParser::digest.
  std::optional<std::uint64_t> digest(const frontend::ParseJob& job) const;
  /// Empty if there is none.
  const std::filesystem::path& cache_directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
  std::unique_ptr<frontend::CachingParser> cache_;
};

}  // namespace fairway::cli
