// A record of the last run of `fairway doctor`. If no input has changed, the next run has the same
// findings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "diagnostics/report.hpp"
#include "files/cache_directory.hpp"
#include "project/project.hpp"
#include "project/project_options.hpp"

namespace fairway::project {

class DoctorRecord {
 public:
  /// `app_config` may be empty; `app` are its settings.
  DoctorRecord(const ProjectReader& reader, const ProjectOptions& options,
               const std::filesystem::path& app_config, const model::AppSettings& app);

  /// The findings before settings are applied.
  std::optional<diagnostics::Report> load() const;
  void store(const diagnostics::Report& report) const;

 private:
  files::CacheDirectory cache_;
  std::string name_;
  std::optional<std::uint64_t> digest_;
};

}  // namespace fairway::project
