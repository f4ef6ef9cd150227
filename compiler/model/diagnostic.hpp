// A diagnostic as plain data. diagnostics/ renders it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/range.hpp"

namespace fairway::model {

enum class Severity { error, warning };
inline std::string_view name_of(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

/// A row of the catalogue (rules/catalogue.hpp). A renamed id stays valid.
struct Rule {
  std::string_view id;  ///< "duplicate-route"
  Severity severity;
  std::string_view rule;         ///< one line, lower case, no final period
  std::string_view explanation;  ///< the reason and the remedy, in sentences
  std::string_view example;      ///< code that violates the rule
  /// What routes have in common that several findings in a file are about: "without a summary".
  /// Empty if each finding is reported.
  std::string_view summary = {};
};

struct Note {
  std::string message;
  Range range;
};

/// Replaces the text of `range`. Only for fixes that are safe.
struct FixIt {
  Range range;
  std::string text;
};

struct Diagnostic {
  std::string id;  ///< of a Rule
  Severity severity = Severity::error;
  std::string message;  ///< lower case, short, no final period, user text in single quotes
  Range range;
  std::string method;  ///< upper-case HTTP method, if known
  std::string route;   ///< full route path, if known
  std::vector<Note> notes;
  std::string help;  ///< what to write instead; may be empty
  std::vector<FixIt> fixes;
};

using Diagnostics = std::vector<Diagnostic>;

}  // namespace fairway::model
