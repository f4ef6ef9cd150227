// The file that tells a contract test what the document cannot: credentials, ids of things that
// exist, operations to leave out.
//
//   {
//     "credentials": {"authorization": "Bearer ${token}"},
//     "before": [{"method": "POST", "target": "/sign-in", "body": {"name": "ada"},
//                 "save": {"token": "/data/token"}}],
//     "operations": {
//       "getOrder": {"path": {"id": 1}},
//       "stop": {"exclude": "ends the program"}
//     }
//   }
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "diff/document.hpp"

namespace fairway::contract_test {

using diff::Json;

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A request that is sent before the requests of each operation; cookies that it gets are sent with
/// them.
struct Step {
  std::string method;
  std::string target;
  Headers headers;
  Json body;                                ///< null: none
  std::map<std::string, std::string> save;  ///< variable to the JSON pointer of its value
};

/// Values of one operation that are sent instead of random ones.
struct OperationSettings {
  std::string exclude;  ///< the reason; empty: not excluded
  std::map<std::string, Json> path;
  std::map<std::string, Json> query;
  std::map<std::string, Json> cookies;
  Headers headers;
  Json body;  ///< merged into each body (RFC 7396); null: none
};

/// Strings may contain "${name}" for variables, which `expand` replaces.
struct Settings {
  Headers headers;      ///< of all requests, but of a step only if their variables are known
  Headers credentials;  ///< of them, except the one that must be rejected without credentials
  std::vector<Step> before;
  std::map<std::string, OperationSettings> operations;
  std::filesystem::path directory;  ///< of the file; relative paths of uploads begin there
};

/// Reads JSON or YAML. Throws UserError with the file and the JSON pointer of the error.
Settings read_settings(const std::filesystem::path& file);

/// The value in a path, a query, a field or a string: a string without its quotation marks.
std::string text_of(const Json& value);

using Variables = std::map<std::string, Json>;

/// With the variables in all strings; a string that is one variable takes its type. Throws
/// UserError for an unknown variable.
Json expand(const Json& value, const Variables& variables);
std::string expand(const std::string& text, const Variables& variables);
/// Whether `expand` knows all variables in the text.
bool knows_variables(const std::string& text, const Variables& variables);

}  // namespace fairway::contract_test
