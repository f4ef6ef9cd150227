// The project's `.fairway.json`, which disables lints and sets their severities.
//
//   {"lints": {"missing-docs-summary": "off", "shadowed-route": "error", "*": "warning"}}
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "files/user_error.hpp"
#include "model/diagnostic.hpp"

namespace fairway::rules {

/// An invalid settings file. The message contains the file, the JSON pointer and the expected
/// value.
class SettingsError : public UserError {
  using UserError::UserError;
};

/// The severities of lints. A lint without an entry has the severity of "*", or else is a warning.
class LintSettings {
 public:
  LintSettings() = default;
  /// Reads the text of a settings file; error messages call it `file`. Throws SettingsError.
  LintSettings(std::string_view text, const std::string& file);

  /// Empty for a disabled lint.
  std::optional<model::Severity> severity_of(std::string_view lint) const;
  /// Removes disabled lints and sets the severity of the others. Errors do not change.
  void apply(model::Diagnostics& diagnostics) const;

 private:
  /// By id or "*". No value means disabled.
  std::map<std::string, std::optional<model::Severity>, std::less<>> severities_;
};

}  // namespace fairway::rules
