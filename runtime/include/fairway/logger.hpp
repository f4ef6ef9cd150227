// Structured logging (docs/configuration.md).
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>

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
  void trace(std::string_view message) const { log(LogLevel::trace, message); }
  void trace(std::string_view message, Json fields) const;
  template <detail::WorseMatch = void>
  void trace(std::string_view message, const detail::JsonLiteral& fields) const {
    log_inline(LogLevel::trace, message, fields);
  }
  void debug(std::string_view message) const { log(LogLevel::debug, message); }
  void debug(std::string_view message, Json fields) const;
  template <detail::WorseMatch = void>
  void debug(std::string_view message, const detail::JsonLiteral& fields) const {
    log_inline(LogLevel::debug, message, fields);
  }
  void info(std::string_view message) const { log(LogLevel::info, message); }
  void info(std::string_view message, Json fields) const;
  template <detail::WorseMatch = void>
  void info(std::string_view message, const detail::JsonLiteral& fields) const {
    log_inline(LogLevel::info, message, fields);
  }
  void warn(std::string_view message) const { log(LogLevel::warn, message); }
  void warn(std::string_view message, Json fields) const;
  template <detail::WorseMatch = void>
  void warn(std::string_view message, const detail::JsonLiteral& fields) const {
    log_inline(LogLevel::warn, message, fields);
  }
  void error(std::string_view message) const { log(LogLevel::error, message); }
  void error(std::string_view message, Json fields) const;
  template <detail::WorseMatch = void>
  void error(std::string_view message, const detail::JsonLiteral& fields) const {
    log_inline(LogLevel::error, message, fields);
  }
  void fatal(std::string_view message) const { log(LogLevel::fatal, message); }
  void fatal(std::string_view message, Json fields) const;
  template <detail::WorseMatch = void>
  void fatal(std::string_view message, const detail::JsonLiteral& fields) const {
    log_inline(LogLevel::fatal, message, fields);
  }
  void log(LogLevel level, std::string_view message) const;
  void log(LogLevel level, std::string_view message, Json fields) const;
  template <detail::WorseMatch = void>
  void log(LogLevel level, std::string_view message, const detail::JsonLiteral& fields) const {
    log_inline(level, message, fields);
  }
  /// @}

  /// Logs the error in the field `err`, with type, message and stack.
  /// @{
  template <std::derived_from<std::exception> Error>
  void warn(std::string_view message, const Error& error) const {
    log_error(LogLevel::warn, message, error);
  }
  template <std::derived_from<std::exception> Error>
  void error(std::string_view message, const Error& error) const {
    log_error(LogLevel::error, message, error);
  }
  template <std::derived_from<std::exception> Error>
  void fatal(std::string_view message, const Error& error) const {
    log_error(LogLevel::fatal, message, error);
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
  void log_inline(LogLevel level, std::string_view message,
                  const detail::JsonLiteral& fields) const;
  void log_error(LogLevel level, std::string_view message, const std::exception& error) const;

  struct State;
  std::shared_ptr<State> state_;
  std::shared_ptr<const Json> bindings_;  ///< null: none
};

}  // namespace fw
