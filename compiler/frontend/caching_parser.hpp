// Parsing that is fast the second time.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>

#include "files/input.hpp"
#include "frontend/parse.hpp"
#include "frontend/shared_header.hpp"

namespace fairway::frontend {

/// Gives what parse_file gives. Keeps in `directory` what saves work: the framework's headers in
/// Clang's own form, used by all files of the same flags. What cannot be read or stored there is
/// done without. One object serves one run. Thread-safe; several processes may use one directory.
class CachingParser {
 public:
  explicit CachingParser(std::filesystem::path directory)
      : directory_(std::filesystem::absolute(directory).lexically_normal()),
        headers_(directory_ / "headers", checker_) {}

  /// Throws what parse_file throws.
  model::ParsedFile parse(const ParseJob& job);

 private:
  std::filesystem::path directory_;
  files::InputChecker checker_;
  SharedHeaders headers_;
};

}  // namespace fairway::frontend
