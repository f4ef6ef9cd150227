// Which lints are on, and how severe they are: the project's `.fairway.json`.
//
//   {"lints": {"missing-docs-summary": "off", "shadowed-route": "error", "*": "warning"}}
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "files/user_error.hpp"
#include "model/diagnostic.hpp"

namespace fairway::check {

/// A settings file that cannot be used. The message names file, JSON pointer and expectation.
class SettingsError : public UserError {
  using UserError::UserError;
};

/// A lint without an entry has the severity of "*", and without that one it warns.
class LintSettings {
 public:
  LintSettings() = default;
  /// Reads the text of a settings file; `file` is what errors call it. Throws SettingsError.
  LintSettings(std::string_view text, const std::string& file);

  /// Nothing for a lint that is off.
  std::optional<model::Severity> severity_of(std::string_view lint) const;
  /// Removes lints that are off and gives the others their severity. Errors stay as they are.
  void apply(model::Diagnostics& diagnostics) const;

 private:
  /// By id, and "*". No value: off.
  std::map<std::string, std::optional<model::Severity>, std::less<>> severities_;
};

}  // namespace fairway::check
