#include "project/inspection.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "diagnostics/source_text.hpp"
#include "project/doctor_record.hpp"
#include "project/project.hpp"
#include "project/source_tree.hpp"
#include "rules/settings_rules.hpp"

namespace fairway::project {

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
