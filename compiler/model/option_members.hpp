// The members of RouteOptions and of the records in it. One row each says how the manifest writes a
// member, which of its values declare nothing, and what the model takes from it; the manifest, the
// fingerprint of a route and the reader of manifests all follow these rows.
//
// A new member needs a row here and a line in runtime/app/contract.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "model/application.hpp"

namespace fairway::model {

class OptionReader;

/// How a member is written in the manifest.
enum class Form {
  plain,            ///< a scalar, a list of scalars, or {"$function": true}
  size,             ///< a number of bytes, or a string with a unit
  json,             ///< any JSON value
  record,           ///< an object of the members of a record; `true` for one without members
  named,            ///< an object: names, in order of declaration, with a record each
  fields,           ///< the fields of a schema
  response_schema,  ///< a schema, or {"$jsonSchema": string}
  responses,        ///< an object from selector to such a schema
  middlewares,      ///< names, or {"name", "options"}
  permissions,      ///< actions, or {"action", "resource", "context"}
  security          ///< as OpenAPI has it
};

/// The value that says the same as leaving the member out.
enum class Unset {
  none,       ///< whoever writes the member declares something
  empty,      ///< "", [], {}
  off,        ///< false
  on,         ///< true
  any_string  ///< "any"
};

struct OptionMember {
  /// Takes a value that is not null into the model.
  using Read = void (*)(OptionReader&, const OptionMember&, const Json&);

  std::string_view record;  ///< "RouteOptions"
  std::string_view name;    ///< as C++ spells it: "body_parser"
  Form form = Form::plain;
  Unset unset = Unset::none;
  std::string_view of = {};         ///< the record of Form::record and of the values of Form::named
  std::string_view shorthand = {};  ///< the member of `of` that a value without braces is
  Read read = nullptr;
  bool only_documents = false;  ///< no part of the contract
};

/// All rows; those of a record in the order of its declaration.
std::span<const OptionMember> option_members();

/// The row of a member. Throws std::logic_error when it has none.
const OptionMember& option_member(std::string_view record, std::string_view name);

/// The name of a member in documents: "body_parser" gives "bodyParser", "override_" "override".
std::string reference_name(std::string_view member);

/// What a route declares: method, subpath and the options that say something, documentation
/// included. Equal for two spellings of one declaration. `options` is as the manifest has them.
Json route_declaration(std::string_view method, std::string_view subpath, const Json& options);

/// The same without documentation: what schema/fingerprint.hpp defines.
Json route_contract(std::string_view method, std::string_view subpath, const Json& options);

/// Called for each value that is not as the manifest writes it, which is then left out.
using Complaint = std::function<void(const std::string&)>;

/// Fills everything of `route` that its options declare. Source ranges are left empty.
void read_options(const Json& options, Route& route, const Complaint& complain);

}  // namespace fairway::model
