// The resolved application: what every emitter reads. Plain data, no Clang.
#pragma once

#include "model/range.hpp"
#include "schema/schema.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fairway::model {

using Json = nlohmann::ordered_json;

/// Schemas of one request location ("param", "query", "header", "cookie", "body"); an object node.
struct LocationSchema {
  std::string location;
  fw::schema::Node schema;
  Range range;
};

/// A schema of `responses`: from the DSL, or a JSON Schema text.
struct ResponseSchema {
  std::string selector;  ///< "201", "2xx", "default"
  std::variant<fw::schema::Node, Json> schema;
  Range range;
};

struct MiddlewareReference {
  std::string name;
  Json options;  ///< null when none were written
  Range range;
};

/// `docs` of the reference. `responses` keeps ResponseConfig in the reference's JSON names, with
/// `schema` already a JSON Schema.
struct Documentation {
  std::string summary;
  std::string description;
  std::vector<std::string> tags;  ///< written or inferred from the file's path
  bool hidden = false;
  bool deprecated = false;
  std::optional<Json> security;  ///< set when written, `[]` included
  Json extensions = Json::object();
  Json responses = Json::object();
  Json access;  ///< null when absent
  Json request_body;
};

enum class AuthKind { unset, disabled, required, requirement };

/// `auth`: the parts that documents need; functions are recorded as present only.
struct Auth {
  AuthKind kind = AuthKind::unset;
  bool required = true;
  bool has_rules = false;        ///< roles, scopes, permissions or check declared
  std::optional<Json> security;  ///< documentation only
};

struct Route {
  std::string method;
  std::string subpath;
  std::string path;  ///< final, normalised: "/users/:id"
  std::string operation_id;
  bool operation_id_inferred = true;
  std::vector<LocationSchema> validate;  ///< in the order param, query, header, cookie, body
  std::vector<ResponseSchema> responses;
  std::vector<MiddlewareReference> middlewares;
  Auth auth;
  Documentation docs;
  Json options = Json::object();  ///< every written option, in the reference's names; functions are
                                  ///< {"$function": true}
  std::uint64_t fingerprint = 0;  ///< of the contract the table was built for, see
                                  ///< schema/fingerprint.hpp
  Range range;                    ///< the registration
  Range path_range;
};

struct RouteFile {
  std::string path;  ///< below the source directory: "routes/api/users.cpp"
  std::string display_path;
  std::string prefix;       ///< "/api/users", "/" for an index at the top
  std::string export_path;  ///< the file whose default export serves: `path` itself, or the end of
                            ///< the re-export chain
  std::vector<Route> routes;
};

/// A middleware or plugin file: its name is the file's name without ending.
struct Unit {
  std::string path;
  std::string name;
};

struct Application {
  std::string name;              ///< of the target, for titles and file names
  std::vector<RouteFile> files;  ///< sorted by path
  std::vector<Unit> middlewares;
  std::vector<Unit> plugins;
};

}  // namespace fairway::model
