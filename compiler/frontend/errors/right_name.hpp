// Names of the framework that are written wrongly in a way that Clang does not explain.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

#include "frontend/errors/error_collector.hpp"
#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// A name of the framework, which is written instead of another one.
struct RightName {
  llvm::StringLiteral name;
  std::string message;
};

/// What is meant by `app.delete(…)` and by a misspelt FW_EXPORT_DEFAULT.
std::optional<RightName> right_name(const FileContext& context, const ErrorCollector::Error& error);

}  // namespace fairway::frontend
