// The members of RouteOptions and of the records in it. The row of a member defines its form in the
// manifest, its default, and the function that stores it in the model. The manifest, the
// fingerprint of a route and the reader of manifests use these rows.
//
// A new member needs a row here and a line in runtime/app/declaration_json.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "model/application.hpp"

namespace fairway::model {

class OptionReader;

/// The form of a member in the manifest.
enum class ValueForm {
  plain,            ///< a scalar, a list of scalars, or {"$function": true}
  size,             ///< a number of bytes, or a string with a unit
  json,             ///< any JSON value
  record,           ///< an object with the members of a record; `true` for a record without members
  named,            ///< an object with a record for each name, in order of declaration
  fields,           ///< the fields of a schema
  response_schema,  ///< a schema, or {"$jsonSchema": string}
  responses,        ///< an object from selector to such a schema
  middlewares,      ///< names, or {"name", "options"}
  permissions,      ///< actions, or {"action", "resource", "context"}
  security          ///< in the form of OpenAPI
};

/// The value that is equivalent to omitting the member.
enum class Default {
  none,       ///< every value is a declaration
  empty,      ///< "", [], {}
  off,        ///< false
  on,         ///< true
  any_string  ///< "any"
};

struct OptionMember {
  /// Stores a value that is not null in the model.
  using Read = void (*)(OptionReader&, const OptionMember&, const Json&);

  std::string_view record;  ///< "RouteOptions"
  std::string_view name;    ///< the name in C++: "body_parser"
  ValueForm form = ValueForm::plain;
  Default default_value = Default::none;
  std::string_view record_type =
      {};  ///< the record of ValueForm::record and of the values of ValueForm::named
  std::string_view shorthand =
      {};  ///< the member of `record_type` that a value without braces sets
  Read read = nullptr;
  bool only_documents = false;  ///< not part of the contract
};

/// All rows. The members of a record are in the order of its declaration.
std::span<const OptionMember> option_members();

/// The row of a member. Throws std::logic_error if there is none.
const OptionMember& option_member(std::string_view record, std::string_view name);

/// The name of a member in documents: "bodyParser" for "body_parser", "override" for "override_".
std::string reference_name(std::string_view member);

/// The declaration of a route: method, subpath and all options without defaults, including
/// documentation. Equal for two spellings of one declaration. `options` are in the form of the
/// manifest.
Json route_declaration(std::string_view method, std::string_view subpath, const Json& options);

/// The same without documentation, as schema/fingerprint.hpp defines it.
Json route_contract(std::string_view method, std::string_view subpath, const Json& options);

/// Called for each invalid value, which is then ignored.
using ErrorHandler = std::function<void(const std::string&)>;

/// Sets the members of `route` that its options declare. Source ranges remain empty.
void read_options(const Json& options, Route& route, const ErrorHandler& complain);

}  // namespace fairway::model
