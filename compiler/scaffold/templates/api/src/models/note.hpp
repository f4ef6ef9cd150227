// Notes as requests and responses contain them.
#pragma once

#include <fairway/types.hpp>

#include <cstdint>

struct NewNote {
  fw::Field<"string:1-100"> title;
  fw::Field<"string:-10000"> text;
};

struct Note : NewNote {
  std::int64_t id;
};
