// The types of the schema language (docs/validation.md), for generated code. A row of
// runtime/schema/kinds.cpp says what each is.
#pragma once

#include <cstdint>
#include <string_view>

namespace fw::schema {

enum class Kind : std::uint8_t {
  any,
  null,
  string,
  number,
  integer,
  boolean,
  email,
  url,
  date,
  datetime,
  time,
  uuid,
  ipv4,
  ipv6,
  hostname,
  enumeration,
  array,
  object,
  map,        ///< an object whose members all have one schema; only of C++ types
  one_of,     ///< one of several schemas; only of C++ types
  reference,  ///< a C++ type within itself
};

/// The names in the schema language, in the order of `Kind`.
inline constexpr std::string_view kKindNames[] = {
    "any",      "null", "string", "number", "integer", "boolean",  "email", "url",   "date",
    "datetime", "time", "uuid",   "ipv4",   "ipv6",    "hostname", "enum",  "array", "object",
};

}  // namespace fw::schema
