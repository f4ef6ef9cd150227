// A static value that the front end has resolved, with its source ranges. resolve/ interprets it as
// a member of RouteOptions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/range.hpp"

namespace fairway::model {

struct Member;

struct Value {
  enum class Kind {
    null,
    boolean,
    integer,  ///< also enumerators, and chrono durations in milliseconds
    number,
    string,
    list,      ///< positional braces: `{"name", "string"}`, `{{"a", 1}, {"b", 2}}`
    record,    ///< an aggregate of the framework, with the members in the source
    call,      ///< a call of one of the framework's builders, see `text`
    function,  ///< a callable member such as `cache.condition`: only its presence is recorded
  };

  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;          ///< string: its bytes. record: type name ("Docs"). call: builder name
                             ///< ("array_of", "json_schema", "compile_field", "Json::array",
                             ///< "Json::object").
  std::vector<Value> items;  ///< list: elements. call: arguments.
  std::vector<Member> members;  ///< record: in declaration order; only those in the source.
                                ///< call of compile_field: {"description", …} when chained.
  Range range;                  ///< source range of the value (of a constant: its initialiser)
  ByteRanges bytes;  ///< string: the location of each byte, for carets inside; empty if the string
                     ///< is not a sequence of literal tokens
};

struct Member {
  std::string name;  ///< the name in C++: "body_parser"
  Value value;
  Range name_range;
};

}  // namespace fairway::model
