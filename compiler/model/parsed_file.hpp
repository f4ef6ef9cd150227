// What the front end reads from one source file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/value.hpp"

namespace fairway::model {

/// A part of the request that a handler asks for by a static name: `req.query("page")`.
struct InputRead {
  std::string location;  ///< "param", "query", "header", "cookie", "body"
  /// The name as written. A name inside a body follows those of the objects around it.
  std::vector<std::string> path;
  bool validated = false;  ///< read from `req.valid(location)`
  Range range;             ///< the name
};

/// A name in the namespaces of generated headers: `routes::users::CreateUser::Body`.
struct GeneratedName {
  std::vector<std::string> parts;  ///< "routes", "users", "CreateUser", "Body"
  bool in_valid = false;           ///< written as `req.valid<…>()`
  Range range;
};

/// `#include "users.routes.hpp"`, in the file itself or in a header that it includes.
struct GeneratedInclude {
  std::string name;  ///< as written, without the quotes
  Range range;       ///< the name with its quotes; of the file itself only
};

/// A constant status that a handler sets: `res.status(404)`, `res.json(data, 201)`.
struct SentStatus {
  int status = 0;
  Range range;
};

/// What a handler does with its request and its response, as far as its source shows.
struct HandlerUse {
  std::vector<InputRead> reads;          ///< in order of the source
  bool may_send_json = true;             ///< false when it is known to send no JSON
  std::vector<GeneratedName> validated;  ///< types that it takes from `req.valid<…>()`
  std::vector<SentStatus> statuses;      ///< in order of the source
};

/// One `app.<method>(path[, options], handler)` of a factory.
struct Registration {
  std::string method;  ///< upper case: "GET"; `del` is "DELETE"
  std::string path;    ///< the subpath as written
  Value path_value;
  std::optional<Value> options;
  bool options_resolved = true;  ///< false when options are written but could not be resolved: the
                                 ///< error is reported, and nothing is concluded from their absence
  Range range;                   ///< the whole call
  Range method_range;            ///< the method's name
  HandlerUse handler;
};

enum class ExportKind { none, routes, middleware, plugin, reexport };

struct ParsedFile {
  std::string path;          ///< below the source directory, with '/': "routes/api/users.cpp"
  std::string display_path;  ///< as diagnostics show it
  ExportKind export_kind = ExportKind::none;
  Range export_range;
  std::string reexport_target;  ///< `FW_REEXPORT_DEFAULT("../users.cpp")`: the text as written
  std::vector<Registration> registrations;
  std::vector<GeneratedName> generated_names;  ///< all in the file, in order of the source
  std::vector<GeneratedInclude> generated_includes;
  Range include_end;                      ///< after '#include <fairway/fairway.hpp>' of the file
  std::vector<std::string> dependencies;  ///< absolute paths of everything read, sorted
  Diagnostics diagnostics;
};

}  // namespace fairway::model
