#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "database/database.hpp"

struct Account {
  std::int64_t id = 0;
  std::string name;
  std::string email;
  std::string password_hash;
  std::optional<std::string> avatar_type;  ///< media type; nothing without an avatar
};

/// Thread-safe.
class AccountStore {
 public:
  static constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  password_hash TEXT NOT NULL,
  avatar_type TEXT
);
)";

  explicit AccountStore(Database& database) : database_(database) {}

  std::optional<Account> find(std::int64_t id);
  std::optional<Account> find_by_email(const std::string& email);
  /// Nothing when there is an account with that e-mail address.
  std::optional<Account> create(Account account);
  void set_avatar_type(std::int64_t id, const std::string& type);

 private:
  Database& database_;
};
