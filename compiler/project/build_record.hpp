// A record of the last build. If neither its inputs nor its outputs have changed, the next build
// has nothing to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "files/cache_directory.hpp"

namespace fairway::project {

class BuildRecord {
 public:
  /// The `content_hash` of each file that was written. By its content, a file is known even if
  /// another build has written to the same directory in between.
  using Outputs = std::map<std::filesystem::path, std::uint64_t>;

  /// `digest` covers everything that this build reads; empty if it is not known yet.
  BuildRecord(const std::filesystem::path& cache, const std::filesystem::path& output_directory,
              std::span<const std::string> command_line, std::optional<std::uint64_t> digest);

  /// The dependencies of the last build, if its outputs are still up to date.
  std::optional<std::set<std::string>> load() const;
  /// The files that the last build wrote to this directory, even if its inputs have changed.
  std::vector<std::filesystem::path> outputs() const;
  void store(const Outputs& outputs, const std::set<std::string>& dependencies) const;
  /// Stores the outputs of a build that must be repeated: `load` does not treat it as up to date.
  void store_outputs(const Outputs& outputs) const;

 private:
  files::CacheDirectory cache_;
  std::string name_;
  std::vector<std::string> command_line_;  ///< and the working directory
  std::optional<std::uint64_t> digest_;
};

}  // namespace fairway::project
