// Information about a thrown exception.
#pragma once

#include <fairway/json.hpp>

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

/// The value of the log field `err`.
Json to_log_field(const ExceptionInfo& info);

}  // namespace fw::detail
