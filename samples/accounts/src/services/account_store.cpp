#include "services/account_store.hpp"

namespace {

constexpr std::string_view kSelect =
    "SELECT id, name, email, password_hash, avatar_type FROM accounts ";

std::optional<Account> first(Statement& row) {
  if (!row.step()) return std::nullopt;
  return Account{.id = row.integer(0),
                 .name = row.text(1),
                 .email = row.text(2),
                 .password_hash = row.text(3),
                 .avatar_type = row.optional_text(4)};
}

}  // namespace

std::optional<Account> AccountStore::find(std::int64_t id) {
  const auto lock = database_.lock();
  Statement row = database_.prepare(std::string(kSelect) + "WHERE id = ?");
  row.bind(id);
  return first(row);
}

std::optional<Account> AccountStore::find_by_email(const std::string& email) {
  const auto lock = database_.lock();
  Statement row = database_.prepare(std::string(kSelect) + "WHERE email = ?");
  row.bind(email);
  return first(row);
}

std::optional<Account> AccountStore::create(Account account) {
  const auto lock = database_.lock();
  database_.prepare("INSERT OR IGNORE INTO accounts (name, email, password_hash) VALUES (?, ?, ?)")
      .bind(account.name)
      .bind(account.email)
      .bind(account.password_hash)
      .step();
  if (database_.changes() == 0) return std::nullopt;
  account.id = database_.last_insert_id();
  return account;
}

void AccountStore::set_avatar_type(std::int64_t id, const std::string& type) {
  const auto lock = database_.lock();
  database_.prepare("UPDATE accounts SET avatar_type = ? WHERE id = ?").bind(type).bind(id).step();
}
