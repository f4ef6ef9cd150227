#include "services/customer_store.hpp"

namespace {

constexpr std::string_view kSelect = "SELECT id, name, email, street, city, zip FROM customers ";

Customer read(const Statement& row) {
  return {{.id = row.integer(0)},
          {.name = row.text(1),
           .email = row.text(2),
           .address = {.street = row.text(3), .city = row.text(4), .zip = row.optional_text(5)}}};
}

}  // namespace

std::vector<Customer> CustomerStore::list(std::int64_t limit) {
  const auto lock = database_.lock();
  Statement rows = database_.prepare(std::string(kSelect) + "ORDER BY id LIMIT ?");
  rows.bind(limit);
  std::vector<Customer> customers;
  while (rows.step()) customers.push_back(read(rows));
  return customers;
}

std::optional<Customer> CustomerStore::find(std::int64_t id) {
  const auto lock = database_.lock();
  Statement rows = database_.prepare(std::string(kSelect) + "WHERE id = ?");
  rows.bind(id);
  if (!rows.step()) return std::nullopt;
  return read(rows);
}

std::optional<Customer> CustomerStore::find_by_email(const std::string& email) {
  const auto lock = database_.lock();
  Statement rows = database_.prepare(std::string(kSelect) + "WHERE email = ?");
  rows.bind(email);
  if (!rows.step()) return std::nullopt;
  return read(rows);
}

std::optional<Customer> CustomerStore::create(const NewCustomer& customer) {
  const auto lock = database_.lock();
  database_
      .prepare(
          "INSERT OR IGNORE INTO customers (name, email, street, city, zip) "
          "VALUES (?, ?, ?, ?, ?)")
      .bind(customer.name.value())
      .bind(customer.email.value())
      .bind(customer.address.street.value())
      .bind(customer.address.city.value())
      .bind(customer.address.zip)
      .step();
  if (database_.changes() == 0) return std::nullopt;
  return Customer{{.id = database_.last_insert_id()}, customer};
}
