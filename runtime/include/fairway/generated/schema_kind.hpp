// The types of the schema language (docs/validation.md), for generated code. A row of
// runtime/schema/kinds.cpp says what each is.
#pragma once

#include <cstdint>

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
};

}  // namespace fw::schema
