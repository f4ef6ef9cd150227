// Structured logging (docs/configuration.md).
#pragma once

#include <fairway/json.hpp>

#include <chrono>
#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fw {

/// Severity of a line, with the numbers in the log; `silent` is a threshold that no line reaches.
enum class LogLevel {
  trace = 10,
  debug = 20,
  info = 30,
  warn = 40,
  error = 50,
  fatal = 60,
  silent = 100,
};

/// "info" for LogLevel::info and so on.
std::string_view to_string(LogLevel level);
/// The level of that name, if there is one.
std::optional<LogLevel> parse_log_level(std::string_view name);

/// The field of a logged error: `{"err": {"type", "message", "stack"}}`.
Json error_fields(const std::exception& error);

/// One line of the log, valid while it is written.
struct LogRecord {
  LogLevel level;                              ///< at or above the logger's threshold
  std::chrono::system_clock::time_point time;  ///< when it was logged
  std::string_view request_id;                 ///< empty outside a request
  std::string_view user;                       ///< empty unless `requestContext.logUser` is set
  const Json& bindings;                        ///< of child loggers; an object or null
  const Json& fields;                          ///< of this line; an object or null
  std::string_view message;                    ///< as passed to the logger
  std::string_view trace_id = {};              ///< empty unless `tracing` is configured
};

/// The output of a logger. Implementations must be thread-safe, and `write` must not block on a
/// slow output.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// A sink that keeps the record copies its parts.
  virtual void write(const LogRecord& record) = 0;
  /// Waits until everything written so far has reached the output. The framework's sink waits at
  /// most a quarter of a second for an output that takes nothing.
  virtual void flush() {}
};

/// A cheap handle: copies share level and sink. Thread-safe.
class Logger {
 public:
  /// Writes lines of `level` and above to the sink.
  explicit Logger(std::shared_ptr<LogSink> sink, LogLevel level = LogLevel::info);

  /// @{
  /// Logs a line with fields, an object or null, unless its level is below the threshold.
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
  /// @}

  /// Logs the error in the field `err`, with type, message and stack.
  /// @{
  template <std::derived_from<std::exception> Error>
  void warn(std::string_view message, const Error& error) const {
    log(LogLevel::warn, message, error_fields(error));
  }
  template <std::derived_from<std::exception> Error>
  void error(std::string_view message, const Error& error) const {
    log(LogLevel::error, message, error_fields(error));
  }
  template <std::derived_from<std::exception> Error>
  void fatal(std::string_view message, const Error& error) const {
    log(LogLevel::fatal, message, error_fields(error));
  }
  /// @}

  /// Whether a line of this level is logged: callers can skip computing its fields otherwise.
  bool enabled(LogLevel level) const;
  /// The threshold.
  LogLevel level() const;
  /// Changes the threshold of this logger and of all that share it.
  void set_level(LogLevel level) const;
  /// A logger that adds `bindings` to each of its lines.
  Logger child(Json bindings) const;
  /// The output.
  const std::shared_ptr<LogSink>& sink() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  Json bindings_;
};

}  // namespace fw
