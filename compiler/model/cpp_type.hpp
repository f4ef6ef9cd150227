// C++ types that are schemas: what handlers take and return, and what options name with
// `fw::type<T>` (docs/types.md).
#pragma once

#include <string>
#include <vector>

#include "model/range.hpp"

namespace fairway::model {

/// A member of a struct, or an enumerator.
struct TypeMember {
  std::string name;          ///< in C++
  std::string json_name;     ///< in JSON
  bool required = true;      ///< whether input must have it
  bool is_left_out = false;  ///< whether output lacks it if it is empty: an optional
  bool is_reset = false;     ///< whether an initialiser can have set members of its value
  std::string literal = {};  ///< the only value that it can have, which tells alternatives apart
  Range range = {};          ///< its name where it is declared; of a member of a struct
};

/// A type of a generated header that another type contains.
struct GeneratedType {
  std::string name;    ///< "::routes::notes::Save::Body::Kind"
  std::string header;  ///< of its route file, as sources include it: "notes.routes.hpp"
  std::vector<std::string> enumerators = {};  ///< in C++; empty: a struct

  bool operator==(const GeneratedType&) const = default;
};

/// A struct or an enumeration, for which code is generated.
struct CppType {
  std::string name;       ///< "::shop::NewOrder"
  std::string component;  ///< its name in documents: "NewOrder"
  std::string header;     ///< the path of its file from the source directory: "models/order.hpp",
                          ///< "../lib/order.hpp"; empty if it is the route file
  bool is_enumeration = false;
  bool is_flat = false;             ///< whether it can be read from strings, such as a query
  std::vector<TypeMember> members;  ///< in the order in which they are written
  std::string schema;               ///< JSON text; refers to other types by "#/$defs/<component>"
  /// Bytes of a struct in a program of 64 bits, which tell whether generated code sees the same
  /// members; 0: not known.
  unsigned size = 0;
  Range range = {};                           ///< its name where it is defined
  std::vector<GeneratedType> generated = {};  ///< in the types of its members
};

/// A type where a route uses it: a `CppType`, or one that contains some.
struct TypeUse {
  std::string name;    ///< "::std::vector<::shop::Order>"
  std::string schema;  ///< JSON text, with everything that it refers to in "$defs"; empty: no
                       ///< option names the type by itself
  std::vector<std::string> types = {};  ///< names of the `CppType`s in it
  bool has_own_code = false;  ///< whether FW_JSON writes it, so that no code is generated for that
  std::vector<GeneratedType> generated = {};  ///< that it names itself
  bool is_readable =
      true;  ///< false: it contains a generated struct, which no request is read into
};

/// A part of the request as a parameter of a handler: `fw::Body<NewOrder>`.
struct TypedInput {
  std::string location;  ///< "param", "query", "header", "cookie", "body"
  TypeUse type;
  Range range;  ///< the parameter's type
};

/// A result that a handler returns: `fw::Created<Order>`.
struct TypedResult {
  int status = 200;
  TypeUse type;  ///< without a name: no content
  Range range;
  std::string stream = {};  ///< "events" or "lines": the type is one of its items
  std::string event = {};   ///< the name of the events of the type
};

/// What a handler takes and returns, apart from `fw::Request&` and `fw::Response&`.
struct Signature {
  std::vector<TypedInput> inputs = {};
  std::vector<TypedResult> results = {};
};

}  // namespace fairway::model
