#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "database/database.hpp"
#include "models/order.hpp"

/// Thread-safe.
class OrderStore {
 public:
  explicit OrderStore(Database& database) : database_(database) {}

  std::vector<Order> list(const OrderFilter& filter);
  std::optional<Order> find(std::int64_t id);
  /// An open order with these items.
  Order create(const NewOrder& order, std::vector<OrderLine> lines);
  bool set_status(std::int64_t id, OrderStatus status);
  bool remove(std::int64_t id);

 private:
  void read_lines(Order& order);

  Database& database_;
};
