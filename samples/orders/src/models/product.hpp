#pragma once

#include <fairway/types.hpp>

#include <optional>

#include "models/fields.hpp"

enum class Category { books, games, tools };

struct NewProduct {
  Name name;
  Category category;
  fw::Field<"integer:0-100000000"> price_cents;
  std::optional<fw::Field<"string:1-500">> description;
};

struct Product : Stored, NewProduct {};

struct ProductFilter {
  std::optional<Category> category;
  std::optional<fw::Field<"integer:0-">> max_price_cents;
  Limit limit;
};
