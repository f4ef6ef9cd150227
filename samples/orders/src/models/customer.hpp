#pragma once

#include <fairway/types.hpp>

#include <optional>

#include "models/fields.hpp"

struct Address {
  fw::Field<"string:1-120"> street;
  fw::Field<"string:1-80"> city;
  std::optional<fw::Field<"string:3-10">> zip;
};

struct NewCustomer {
  Name name;
  fw::Field<"email"> email;  ///< Unique among customers
  Address address;
};

struct Customer : Stored, NewCustomer {};
