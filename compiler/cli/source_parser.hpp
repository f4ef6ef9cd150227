// The parser that a command line asks for: with a cache, unless there is no place for one.
#pragma once

#include <memory>

#include "cli/arguments.hpp"
#include "frontend/caching_parser.hpp"

namespace fairway::cli {

class SourceParser {
 public:
  /// Reads --cache-dir, --no-cache and --out-dir.
  explicit SourceParser(const Arguments& arguments);

  /// As frontend::parse_file. Thread-safe.
  model::ParsedFile parse(const frontend::ParseJob& job) const;

 private:
  std::unique_ptr<frontend::CachingParser> cache_;
};

}  // namespace fairway::cli
