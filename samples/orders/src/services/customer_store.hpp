#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/database.hpp"
#include "models/customer.hpp"

/// Thread-safe.
class CustomerStore {
 public:
  explicit CustomerStore(Database& database) : database_(database) {}

  std::vector<Customer> list(std::int64_t limit);
  std::optional<Customer> find(std::int64_t id);
  std::optional<Customer> find_by_email(const std::string& email);
  /// Nothing when a customer with that e-mail address exists.
  std::optional<Customer> create(const NewCustomer& customer);

 private:
  Database& database_;
};
