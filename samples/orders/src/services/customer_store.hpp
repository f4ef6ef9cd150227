#pragma once

#include <fairway/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database/database.hpp"

struct Customer {
  std::int64_t id = 0;
  std::string name;
  std::string email;
  std::string street;
  std::string city;
  std::optional<std::string> zip;
};
void to_json(fw::Json& json, const Customer& customer);

/// Thread-safe.
class CustomerStore {
 public:
  explicit CustomerStore(Database& database) : database_(database) {}

  std::vector<Customer> list(std::int64_t limit);
  std::optional<Customer> find(std::int64_t id);
  std::optional<Customer> find_by_email(std::string_view email);
  /// Nothing when a customer with that e-mail address exists.
  std::optional<Customer> create(Customer customer);

 private:
  Database& database_;
};
