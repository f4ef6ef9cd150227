// Information about a thrown exception.
#pragma once

#include <fairway/json.hpp>
#include <fairway/logger.hpp>

#include <exception>
#include <string>

namespace fw::detail {

struct ExceptionInfo {
  std::string type;     ///< demangled: "std::runtime_error"
  std::string message;  ///< what(), or a thrown string; empty for exceptions of other types
  std::string stack;    ///< type and message of the error and of each cause nested in it
};

ExceptionInfo describe(const std::exception& error);
ExceptionInfo describe(const std::exception_ptr& error);

/// The demangled name of a type as it is written in code: "std::vector<std::string>".
std::string type_name(const char* mangled);

/// The field of a logged error: `{"err": {"type", "message", "stack"}}`.
Json log_fields(const ExceptionInfo& info);

/// Whether the error is a lack of memory, so that its report must not need any.
bool is_lack_of_memory(const std::exception_ptr& error) noexcept;
/// Logs a constant line if the error is a lack of memory; returns false otherwise. Without memory
/// for the line, there is none.
bool log_lack_of_memory(const Logger& logger, const std::exception_ptr& error) noexcept;

}  // namespace fw::detail
