// What the last build has written: when nothing that it read has changed, nor what it wrote,
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
  /// `digest` is that of everything that this build reads; nothing when that is not known yet.
  BuildRecord(const std::filesystem::path& cache, const std::filesystem::path& output_directory,
              std::span<const std::string> command_line, std::optional<std::uint64_t> digest);

  /// The dependencies of the last build, if its output is still what this one would write.
  std::optional<std::set<std::string>> load() const;
  /// The files that the last build wrote to this directory, whatever it read.
  std::vector<std::filesystem::path> outputs() const;
  void store(const std::vector<std::filesystem::path>& outputs,
             const std::set<std::string>& dependencies) const;
  /// Of a build that has to be repeated: `load` does not take it for one that is up to date.
  void store_outputs(const std::vector<std::filesystem::path>& outputs) const;

 private:
  files::CacheDirectory cache_;
  std::string name_;
  std::vector<std::string> command_line_;  ///< and where it was given
  std::optional<std::uint64_t> digest_;
};

}  // namespace fairway::cli
