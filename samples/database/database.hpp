// A thin layer over one SQLite connection, shared by the samples.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// A prepared statement: bind in order, then step through the rows.
class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql);

  Statement& bind(std::int64_t value);
  Statement& bind(const std::string& value);
  Statement& bind(const std::optional<std::string>& value);
  /// True while there is a row. Throws std::runtime_error with SQLite's message.
  bool step();
  std::int64_t integer(int column) const;
  std::string text(int column) const;
  std::optional<std::string> optional_text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

/// Opens the file, or creates it, and executes the schema. One connection, used by one thread at a
/// time: take the `lock` for as long as statements of one task run.
class Database {
 public:
  Database(const std::string& path, const char* schema);

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  Statement prepare(std::string_view sql) { return Statement(connection_.get(), sql); }
  void execute(const char* sql);
  /// Ends the transaction, if SQLite has not done so itself: it does after some errors.
  void roll_back() noexcept;
  std::int64_t last_insert_id() const;
  /// Rows that the last statement changed.
  std::int64_t changes() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> connection_;
  std::mutex mutex_;
};

/// Runs its statements as a whole: rolled back unless `commit` is called.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};
