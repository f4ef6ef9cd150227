#include "project/doctor_record.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "diagnostics/report_archive.hpp"
#include "files/archive.hpp"
#include "files/input.hpp"
#include "files/whole_file.hpp"

namespace fairway::project {
namespace {

/// Everything that the findings of a run depend on except the files.
std::string name_of(const ProjectReader& reader, const ProjectOptions& options,
                    const std::filesystem::path& app_config, const model::AppSettings& app) {
  files::ArchiveWriter writer;
  writer(std::filesystem::current_path().string(), reader.source_dir().string(), options.name,
         reader.middlewares());
  // Other files of the configuration decide about HTTPS, too.
  if (!app_config.empty()) writer(files::read_file(app_config).value_or(""), app.has_https);
  if (app.listed_middlewares) {
    const auto& names = *app.listed_middlewares;
    writer(std::vector<std::string>(names.begin(), names.end()));
  }
  return fmt::format("{:016x}.report", files::content_hash(writer.bytes()));
}

}  // namespace

DoctorRecord::DoctorRecord(const ProjectReader& reader, const ProjectOptions& options,
                           const std::filesystem::path& app_config, const model::AppSettings& app)
    : cache_(reader.cache_directory() / "reports"),
      name_(name_of(reader, options, app_config, app)),
      digest_(reader.digest()) {}

std::optional<diagnostics::Report> DoctorRecord::load() const {
  if (!digest_) return std::nullopt;
  const auto bytes = cache_.load(name_);
  if (!bytes) return std::nullopt;
  try {
    files::ArchiveReader reader(*bytes);
    std::uint64_t digest = 0;
    reader(digest);
    if (digest != *digest_) return std::nullopt;
    diagnostics::Report report;
    reader(report);
    reader.finish();
    return report;
  } catch (const files::BadArchive&) {
    return std::nullopt;
  }
}

void DoctorRecord::store(const diagnostics::Report& report) const {
  if (!digest_) return;
  files::ArchiveWriter writer;
  writer(*digest_, report);
  cache_.store(name_, writer.bytes());
  cache_.remove_unused();
}

}  // namespace fairway::project
