// What the compiler has to say about a location, as plain data; diagnostics/ renders it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/range.hpp"

namespace fairway::model {

enum class Severity { error, warning };

/// A row of the catalogue (check/catalogue.hpp). Ids are never renamed.
struct Rule {
  std::string_view id;  ///< "duplicate-route"
  Severity severity;
  std::string_view rule;         ///< one line, lower case, no final period
  std::string_view explanation;  ///< why, and what to do instead; sentences
  std::string_view example;      ///< code that breaks the rule
};

struct Note {
  std::string message;
  Range range;
};

/// Replaces the text of `range`. Only where the repair is certain.
struct FixIt {
  Range range;
  std::string text;
};

struct Diagnostic {
  std::string id;  ///< of a Rule
  Severity severity = Severity::error;
  std::string message;  ///< lower case, short, no final period, user text in single quotes
  Range range;
  std::string method;  ///< upper-case HTTP method, where known
  std::string route;   ///< full route path, where known
  std::vector<Note> notes;
  std::string help;  ///< what to write instead; may be empty
  std::vector<FixIt> fixes;
};

using Diagnostics = std::vector<Diagnostic>;

}  // namespace fairway::model
