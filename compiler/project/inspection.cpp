#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnostics/source_text.hpp"
#include "files/archive.hpp"
#include "files/cache_directory.hpp"
#include "files/input.hpp"
#include "files/whole_file.hpp"
#include "model/parsed_file_archive.hpp"
#include "project/project.hpp"
#include "project/source_tree.hpp"
#include "rules/settings_rules.hpp"

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

void pass_members(auto& archive, auto& report) {
  auto& [files, route_files, routes, diagnostics] = report;
  archive(files, route_files, routes, diagnostics);
}

/// A record of the last run. If no input has changed, the next run has the same findings.
class DoctorRecord {
 public:
  /// `app_config` may be empty; `app` are its settings.
  DoctorRecord(const ProjectReader& reader, const ProjectOptions& options,
               const std::filesystem::path& app_config, const model::AppSettings& app)
      : cache_(reader.cache_directory() / "reports"),
        name_(name_of(reader, options, app_config, app)),
        digest_(reader.digest()) {}

  /// The findings before settings are applied.
  std::optional<diagnostics::Report> load() const {
    if (!digest_) return std::nullopt;
    const auto bytes = cache_.load(name_);
    if (!bytes) return std::nullopt;
    try {
      files::ArchiveReader reader(*bytes);
      std::uint64_t digest = 0;
      reader(digest);
      if (digest != *digest_) return std::nullopt;
      diagnostics::Report report;
      pass_members(reader, report);
      reader.finish();
      return report;
    } catch (const files::BadArchive&) {
      return std::nullopt;
    }
  }

  void store(const diagnostics::Report& report) const {
    if (!digest_) return;
    files::ArchiveWriter writer;
    writer(*digest_);
    pass_members(writer, report);
    cache_.store(name_, writer.bytes());
    cache_.remove_unused();
  }

 private:
  files::CacheDirectory cache_;
  std::string name_;
  std::optional<std::uint64_t> digest_;
};

}  // namespace

diagnostics::Report inspect(const ProjectOptions& project_options, const LintOptions& lints,
                            const rules::LintSettings& settings) {
  const std::filesystem::path& config = lints.app_config;
  const ProjectReader reader(project_options);
  const CheckedSettings checked =
      check_settings_files(config, project_options.source_dir, reader.known_middlewares());
  const model::Diagnostics& found = checked.diagnostics;
  // Lints do not depend on a configuration with errors.
  const std::string config_name =
      config.empty() ? "" : display_path(std::filesystem::absolute(config).lexically_normal());
  const bool is_valid = std::ranges::none_of(found, [&](const model::Diagnostic& error) {
    return error.id == rules::bad_configuration.id && error.range.file == config_name;
  });
  model::AppSettings app = is_valid ? lints.document_options().settings : model::AppSettings();
  app.listed_middlewares = checked.listed_middlewares;
  const auto record = [&] { return DoctorRecord(reader, project_options, config, app); };
  auto report = record().load();
  if (!report) {
    Project project = reader.read();
    diagnostics::FileSourceText sources;
    add_lints(project, app, sources);
    report = std::move(project.report);
    record().store(*report);
  }
  report->diagnostics.insert(report->diagnostics.end(), found.begin(), found.end());
  settings.apply(report->diagnostics);
  diagnostics::sort_diagnostics(report->diagnostics);
  return std::move(*report);
}

}  // namespace fairway::project
