// What the last build has left behind: when nothing that it read has changed, nor what it wrote,
// the next one has nothing to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "files/cache_directory.hpp"
#include "files/input.hpp"

namespace fairway::cli {

class BuildRecord {
 public:
  /// `digest` stands for everything that this build reads; nothing when that is not known yet.
  BuildRecord(const std::filesystem::path& cache, const std::filesystem::path& output_directory,
              std::span<const std::string> command_line, std::optional<std::uint64_t> digest);

  /// The dependencies of the last build, if its output is still what this one would write.
  std::optional<std::set<std::string>> load() const;
  void store(const std::vector<std::filesystem::path>& outputs,
             const std::set<std::string>& dependencies) const;

 private:
  files::CacheDirectory cache_;
  std::string name_;
  std::vector<std::string> command_line_;  ///< and where it was given
  std::optional<std::uint64_t> digest_;
};

}  // namespace fairway::cli
