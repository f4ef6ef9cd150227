// The data of /typed: as C++ types, which orders.cpp and index.cpp have as schema maps.
#pragma once

#include <fairway/fairway.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

enum class Currency { EUR, USD, GBP };

struct Item {
  fw::Field<"string:1-20"> sku;
  fw::Field<"string:1-80"> name;
  fw::Field<"integer:1-1000"> quantity;
  fw::Field<"number:0-100000"> price;
};

struct NewOrder {
  fw::Field<"string:1-80"> customer;
  fw::Field<"email"> email;
  Currency currency;
  std::optional<fw::Field<"string:0-200">> note;
  std::vector<Item> items;
};

struct Order {
  std::int64_t id;
  std::string status;
  std::int64_t count;
  double total;
};

struct Greeting {
  std::string message;
  std::int64_t version;
  bool ok;
};

}  // namespace bench
