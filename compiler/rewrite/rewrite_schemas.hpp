// Rewrites the schema maps of a route file as structs (docs/types.md):
//
//   .validate = {.body = {{"name", "string:1-50"}}}
//
// becomes `.validate = {.body = fw::type<CreateUserBody>}` with
//
//   struct CreateUserBody {
//     fw::Field<"string:1-50"> name;
//   };
//
// and `req.valid<routes::users::CreateUser::Body>()` becomes
// `req.valid<CreateUserBody>(fw::Location::body)`. What is not certainly the same is left alone.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.hpp"
#include "model/json_names.hpp"
#include "model/parsed_file.hpp"

namespace fairway::rewrite {

/// A route file, and what its application knows about it.
struct RouteSource {
  const model::ParsedFile& file;
  const model::RouteFile& routes;  ///< of `file`
  std::string text;
  std::vector<std::string> route_types;  ///< names of the structs of its routes
  std::set<std::string> taken;           ///< names of types of the application
  /// Other sources of the application that include the generated header, by their paths.
  std::map<std::string, std::string> users = {};
  model::JsonNames json_names = model::JsonNames::as_written;
};

/// A schema of a route file: the index of the route, and "validate.body" or "responses.201".
struct SchemaId {
  std::size_t route = 0;
  std::string option;

  auto operator<=>(const SchemaId&) const = default;
};

/// A schema that stays as it is.
struct LeftAlone {
  SchemaId schema;
  model::Range range;
  std::string reason;
};

struct RewrittenSchema {
  SchemaId schema;
  bool has_uses = false;  ///< whether the file names its generated struct
};

struct RewrittenFile {
  std::string text;
  std::vector<RewrittenSchema> schemas;
  std::size_t structs = 0;  ///< that were added
  std::vector<LeftAlone> left_alone;
};

/// `excluded` are schemas that must stay, with the reasons.
RewrittenFile rewrite_schemas(const RouteSource& source,
                              const std::map<SchemaId, std::string>& excluded);

// unified_diff.cpp: The difference of two texts, as `diff -u` prints it.

/// Hunks with three lines of context, after the two lines with the name. Empty if the texts are
/// equal. `patch -p1` applies it to a relative path.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace fairway::rewrite
