// What the front end makes of one source file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/value.hpp"

namespace fairway::model {

/// One `app.<method>(path[, options], handler)` of a factory.
struct Registration {
  std::string method;  ///< upper case: "GET"; `del` is "DELETE"
  std::string path;    ///< the subpath as written
  Value path_value;
  std::optional<Value> options;
  bool options_resolved = true;  ///< false when options are written but could not be resolved: the
                                 ///< fault is reported, and nothing is concluded from their absence
  Range range;                   ///< the whole call
  Range method_range;            ///< the method's name
};

enum class ExportKind { none, routes, middleware, plugin, reexport };

struct ParsedFile {
  std::string path;          ///< below the source directory, with '/': "routes/api/users.cpp"
  std::string display_path;  ///< as diagnostics show it
  ExportKind export_kind = ExportKind::none;
  Range export_range;
  std::string reexport_target;  ///< `FW_REEXPORT_DEFAULT("../users.cpp")`: the text as written
  std::vector<Registration> registrations;
  std::vector<std::string> dependencies;  ///< absolute paths of everything read, sorted
  Diagnostics diagnostics;
};

}  // namespace fairway::model
