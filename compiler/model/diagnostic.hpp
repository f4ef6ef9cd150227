// What the compiler has to say about a place, as plain data; diagnostics/ renders it.
#pragma once

#include <string>
#include <vector>

#include "model/range.hpp"

namespace fairway::model {

enum class Severity { error, warning };

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
  std::string id;  ///< a row of the catalogue, for example "duplicate-route"
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
