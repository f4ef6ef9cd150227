#include "services/order_store.hpp"

#include <utility>

#include "services/enum_text.hpp"

namespace {

constexpr EnumTexts<3> kStatuses = {"open", "paid", "shipped"};

Order read(const Statement& row) {
  return {.id = row.integer(0),
          .customer_id = row.integer(1),
          .status = value_of<OrderStatus>(kStatuses, row.text(2)),
          .items = {},
          .total_cents = 0,
          .note = row.optional_text(3)};
}

void add_line(Order& order, OrderLine line) {
  order.total_cents += line.quantity * line.price_cents;
  order.items.push_back(std::move(line));
}

}  // namespace

void OrderStore::read_lines(Order& order) {
  Statement lines = database_.prepare(
      "SELECT product_id, quantity, price_cents FROM order_lines WHERE order_id = ? ORDER BY "
      "rowid");
  lines.bind(order.id);
  while (lines.step()) {
    add_line(order,
             {{.product_id = lines.integer(0), .quantity = lines.integer(1)}, lines.integer(2)});
  }
}

std::vector<Order> OrderStore::list(const OrderFilter& filter) {
  std::optional<std::string> status;
  if (filter.status) status = text_of(kStatuses, *filter.status);
  const auto lock = database_.lock();
  Statement rows = database_.prepare(
      "SELECT id, customer_id, status, note FROM orders "
      "WHERE (?1 IS NULL OR status = ?1) ORDER BY id LIMIT ?2");
  rows.bind(status).bind(filter.limit);
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

Order OrderStore::create(const NewOrder& order, std::vector<OrderLine> lines) {
  const auto lock = database_.lock();
  Transaction transaction(database_);
  database_.prepare("INSERT INTO orders (customer_id, status, note) VALUES (?, ?, ?)")
      .bind(order.customer_id)
      .bind(text_of(kStatuses, OrderStatus::open))
      .bind(order.note)
      .step();
  Order created = {.id = database_.last_insert_id(),
                   .customer_id = order.customer_id,
                   .status = OrderStatus::open,
                   .items = {},
                   .total_cents = 0,
                   .note = order.note};
  for (OrderLine& line : lines) {
    database_
        .prepare(
            "INSERT INTO order_lines (order_id, product_id, quantity, price_cents) "
            "VALUES (?, ?, ?, ?)")
        .bind(created.id)
        .bind(line.product_id)
        .bind(line.quantity)
        .bind(line.price_cents)
        .step();
    add_line(created, std::move(line));
  }
  transaction.commit();
  return created;
}

bool OrderStore::set_status(std::int64_t id, OrderStatus status) {
  const auto lock = database_.lock();
  database_.prepare("UPDATE orders SET status = ? WHERE id = ?")
      .bind(text_of(kStatuses, status))
      .bind(id)
      .step();
  return database_.changes() > 0;
}

bool OrderStore::remove(std::int64_t id) {
  const auto lock = database_.lock();
  database_.prepare("DELETE FROM orders WHERE id = ?").bind(id).step();
  return database_.changes() > 0;
}
