#pragma once

#include <fairway/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/database.hpp"

struct OrderLine {
  std::int64_t product_id = 0;
  std::int64_t quantity = 0;
  std::int64_t price_cents = 0;  ///< of one item, when the order was placed
};

struct Order {
  std::int64_t id = 0;
  std::int64_t customer_id = 0;
  std::string status;
  std::optional<std::string> note;
  std::vector<OrderLine> items;

  std::int64_t total_cents() const;
};
void to_json(fw::Json& json, const Order& order);

/// Thread-safe.
class OrderStore {
 public:
  explicit OrderStore(Database& database) : database_(database) {}

  std::vector<Order> list(const std::optional<std::string>& status, std::int64_t limit);
  std::optional<Order> find(std::int64_t id);
  Order create(Order order);
  bool set_status(std::int64_t id, const std::string& status);
  bool remove(std::int64_t id);

 private:
  void read_lines(Order& order);

  Database& database_;
};
