#include "services/customer_store.hpp"

namespace {

constexpr std::string_view kSelect = "SELECT id, name, email, street, city, zip FROM customers ";

Customer read(const Statement& row) {
  return {.id = row.integer(0),
          .name = row.text(1),
          .email = row.text(2),
          .street = row.text(3),
          .city = row.text(4),
          .zip = row.optional_text(5)};
}

}  // namespace

void to_json(fw::Json& json, const Customer& customer) {
  json = {{"id", customer.id},
          {"name", customer.name},
          {"email", customer.email},
          {"address", {{"street", customer.street}, {"city", customer.city}}}};
  if (customer.zip) json["address"]["zip"] = *customer.zip;
}

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

std::optional<Customer> CustomerStore::find_by_email(std::string_view email) {
  const auto lock = database_.lock();
  Statement rows = database_.prepare(std::string(kSelect) + "WHERE email = ?");
  rows.bind(std::string(email));
  if (!rows.step()) return std::nullopt;
  return read(rows);
}

std::optional<Customer> CustomerStore::create(Customer customer) {
  const auto lock = database_.lock();
  database_
      .prepare(
          "INSERT OR IGNORE INTO customers (name, email, street, city, zip) "
          "VALUES (?, ?, ?, ?, ?)")
      .bind(customer.name)
      .bind(customer.email)
      .bind(customer.street)
      .bind(customer.city)
      .bind(customer.zip)
      .step();
  if (database_.changes() == 0) return std::nullopt;
  customer.id = database_.last_insert_id();
  return customer;
}
