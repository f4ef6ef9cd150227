#include "database/database.hpp"

#include <sqlite3.h>

namespace {

[[noreturn]] void fail(sqlite3* connection) {
  throw std::runtime_error(std::string("database: ") + sqlite3_errmsg(connection));
}

}  // namespace

Statement::Statement(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement,
                         nullptr) != SQLITE_OK) {
    fail(connection);
  }
  statement_.reset(statement);
}

Statement& Statement::bind(std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), ++bound_, value);
  return *this;
}

Statement& Statement::bind(const std::string& value) {
  sqlite3_bind_text(statement_.get(), ++bound_, value.data(), static_cast<int>(value.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind(const std::optional<std::string>& value) {
  if (value) return bind(*value);
  sqlite3_bind_null(statement_.get(), ++bound_);
  return *this;
}

bool Statement::step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      fail(sqlite3_db_handle(statement_.get()));
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const { return optional_text(column).value_or(""); }

std::optional<std::string> Statement::optional_text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return std::nullopt;
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(const std::string& path, const char* schema) {
  sqlite3* connection = nullptr;
  const int status = sqlite3_open(path.c_str(), &connection);
  connection_.reset(connection);
  if (status != SQLITE_OK) fail(connection);
  execute("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;");
  execute(schema);
}

void Database::execute(const char* sql) {
  if (sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(connection_.get());
  }
}

void Database::roll_back() noexcept {
  if (sqlite3_get_autocommit(connection_.get()) != 0) return;
  sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

std::int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

std::int64_t Database::changes() const { return sqlite3_changes(connection_.get()); }

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close(connection); }

Transaction::~Transaction() {
  if (open_) database_.roll_back();
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}
