// Types of members that several models have.
#pragma once

#include <fairway/types.hpp>

#include <cstdint>

using Id = fw::Field<"integer:1-">;
using Name = fw::Field<"string:1-80">;

/// How many items a list has at most.
using Limit = fw::Field<"integer:1-100=20">;

/// The parameter of a path that ends with "/:id".
struct ById {
  Id id;
};

/// What the database has stored.
struct Stored {
  std::int64_t id;
};
