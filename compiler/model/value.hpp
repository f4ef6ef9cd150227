// A static value as the front end resolved it: shape and locations, no meaning yet. check/ gives it
// one by the member of RouteOptions that it belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/byte_ranges.hpp"
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
    record,    ///< an aggregate of the framework: the members that the user wrote
    call,      ///< one of the framework's builders, see `text`
    function,  ///< a callable member such as `cache.condition`: only its presence is known
  };

  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;          ///< string: its bytes. record: type name ("Docs"). call: builder name
                             ///< ("array_of", "json_schema", "compile_field", "Json::array",
                             ///< "Json::object").
  std::vector<Value> items;  ///< list: elements. call: arguments.
  std::vector<Member> members;  ///< record: in declaration order; only those written.
                                ///< call of compile_field: {"description", …} when chained.
  Range range;                  ///< where the value is written (the initialiser of a constant)
  ByteRanges bytes;  ///< string: the location of each byte, for carets inside; empty when
                     ///< the text does not come from one literal token sequence
};

struct Member {
  std::string name;  ///< as in C++: "body_parser"
  Value value;
  Range name_range;
};

}  // namespace fairway::model
