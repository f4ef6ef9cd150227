#pragma once

#include <fairway/types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/fields.hpp"

enum class OrderStatus { open, paid, shipped };

struct OrderItem {
  Id product_id;
  fw::Field<"integer:1-100"> quantity;
};

struct NewOrder {
  Id customer_id;
  std::vector<OrderItem> items;
  std::optional<fw::Field<"string:1-200">> note;
};

struct OrderLine : OrderItem {
  std::int64_t price_cents;  ///< The price of one item when the order was placed
};

struct Order {
  std::int64_t id;
  std::int64_t customer_id;
  OrderStatus status;
  std::vector<OrderLine> items;
  std::int64_t total_cents;
  std::optional<std::string> note;
};

struct OrderFilter {
  std::optional<OrderStatus> status;
  Limit limit;
};
