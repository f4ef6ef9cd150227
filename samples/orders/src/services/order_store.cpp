#include "services/order_store.hpp"

namespace {

Order read(const Statement& row) {
  return {.id = row.integer(0),
          .customer_id = row.integer(1),
          .status = row.text(2),
          .note = row.optional_text(3),
          .items = {}};
}

void to_json(fw::Json& json, const OrderLine& line) {
  json = {{"productId", line.product_id},
          {"quantity", line.quantity},
          {"priceCents", line.price_cents}};
}

}  // namespace

std::int64_t Order::total_cents() const {
  std::int64_t total = 0;
  for (const OrderLine& line : items) total += line.quantity * line.price_cents;
  return total;
}

void to_json(fw::Json& json, const Order& order) {
  json = {{"id", order.id},
          {"customerId", order.customer_id},
          {"status", order.status},
          {"items", fw::Json::array()},
          {"totalCents", order.total_cents()}};
  for (const OrderLine& line : order.items) to_json(json["items"].emplace_back(), line);
  if (order.note) json["note"] = *order.note;
}

void OrderStore::read_lines(Order& order) {
  Statement lines = database_.prepare(
      "SELECT product_id, quantity, price_cents FROM order_lines WHERE order_id = ? ORDER BY "
      "rowid");
  lines.bind(order.id);
  while (lines.step()) {
    order.items.push_back({.product_id = lines.integer(0),
                           .quantity = lines.integer(1),
                           .price_cents = lines.integer(2)});
  }
}

std::vector<Order> OrderStore::list(const std::optional<std::string>& status, std::int64_t limit) {
  const auto lock = database_.lock();
  Statement rows = database_.prepare(
      "SELECT id, customer_id, status, note FROM orders "
      "WHERE (?1 IS NULL OR status = ?1) ORDER BY id LIMIT ?2");
  rows.bind(status).bind(limit);
  std::vector<Order> orders;
  while (rows.step()) orders.push_back(read(rows));
  for (Order& order : orders) read_lines(order);
  return orders;
}

std::optional<Order> OrderStore::find(std::int64_t id) {
  const auto lock = database_.lock();
  Statement rows =
      database_.prepare("SELECT id, customer_id, status, note FROM orders WHERE id = ?");
  rows.bind(id);
  if (!rows.step()) return std::nullopt;
  Order order = read(rows);
  read_lines(order);
  return order;
}

Order OrderStore::create(Order order) {
  const auto lock = database_.lock();
  Transaction transaction(database_);
  database_.prepare("INSERT INTO orders (customer_id, status, note) VALUES (?, ?, ?)")
      .bind(order.customer_id)
      .bind(order.status)
      .bind(order.note)
      .step();
  order.id = database_.last_insert_id();
  for (const OrderLine& line : order.items) {
    database_
        .prepare(
            "INSERT INTO order_lines (order_id, product_id, quantity, price_cents) "
            "VALUES (?, ?, ?, ?)")
        .bind(order.id)
        .bind(line.product_id)
        .bind(line.quantity)
        .bind(line.price_cents)
        .step();
  }
  transaction.commit();
  return order;
}

bool OrderStore::set_status(std::int64_t id, const std::string& status) {
  const auto lock = database_.lock();
  database_.prepare("UPDATE orders SET status = ? WHERE id = ?").bind(status).bind(id).step();
  return database_.changes() > 0;
}

bool OrderStore::remove(std::int64_t id) {
  const auto lock = database_.lock();
  database_.prepare("DELETE FROM orders WHERE id = ?").bind(id).step();
  return database_.changes() > 0;
}
