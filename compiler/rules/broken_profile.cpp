// [broken-profile]
#include <fmt/format.h>

#include "rules/lints.hpp"
#include "rules/settings_rules.hpp"

namespace fairway::rules {
namespace {

/// JSON without any key of the configuration is the application's own.
bool may_be_layer(const SettingsFile& file) {
  std::vector<fw::settings::FileError> ignored;
  const auto value = fw::settings::parse_file(file.text, ignored);
  return !value || fw::settings::has_config_key(*value);
}

}  // namespace

void lint_broken_profile(const SettingsFile& file, std::string_view profile,
                         const MiddlewareNames& middlewares, fw::Config& config,
                         model::Diagnostics& diagnostics) {
  if (!file.error && !may_be_layer(file)) return;
  const std::vector<fw::settings::FileError> errors = errors_in(file, middlewares, config);
  if (errors.empty()) return;
  Reporter reporter(diagnostics);
  model::Diagnostic& first = report_in(file, errors.front(), rules::broken_profile, reporter);
  first.message =
      fmt::format("the program does not start with '--config {}': {}", profile, first.message);
  first.help = "move a file that is no profile to another directory";
}

}  // namespace fairway::rules
