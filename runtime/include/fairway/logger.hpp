// Structured logging (reference: Access log rules 9 to 12; levels as in not-shown).
#pragma once

#include <fairway/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace fw {

enum class LogLevel {
  trace = 10,
  debug = 20,
  info = 30,
  warn = 40,
  error = 50,
  fatal = 60,
  silent = 100,
};

/// One line on its way to the output.
struct LogRecord {
  LogLevel level = LogLevel::info;
  std::chrono::system_clock::time_point time;
  std::string request_id;  ///< empty outside a request
  Json bindings;           ///< of child loggers; an object or null
  Json fields;             ///< of this line; an object or null
  std::string message;
};

/// Where lines go. Implementations are thread-safe; `write` does not block on slow outputs.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(const LogRecord& record) = 0;
  /// Returns once everything written so far has reached the output.
  virtual void flush() {}
};

/// A cheap handle: copies share level and sink. Thread-safe.
class Logger {
 public:
  explicit Logger(std::shared_ptr<LogSink> sink, LogLevel level = LogLevel::info);

  void trace(std::string_view message, Json fields = nullptr) const {
    log(LogLevel::trace, message, std::move(fields));
  }
  void debug(std::string_view message, Json fields = nullptr) const {
    log(LogLevel::debug, message, std::move(fields));
  }
  void info(std::string_view message, Json fields = nullptr) const {
    log(LogLevel::info, message, std::move(fields));
  }
  void warn(std::string_view message, Json fields = nullptr) const {
    log(LogLevel::warn, message, std::move(fields));
  }
  void error(std::string_view message, Json fields = nullptr) const {
    log(LogLevel::error, message, std::move(fields));
  }
  void fatal(std::string_view message, Json fields = nullptr) const {
    log(LogLevel::fatal, message, std::move(fields));
  }
  void log(LogLevel level, std::string_view message, Json fields = nullptr) const;

  bool enabled(LogLevel level) const;
  LogLevel level() const;
  /// Changes the threshold of this logger and of all that share it.
  void set_level(LogLevel level) const;
  /// A logger that adds `bindings` to each of its lines.
  Logger child(Json bindings) const;
  const std::shared_ptr<LogSink>& sink() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  Json bindings_;
};

}  // namespace fw
