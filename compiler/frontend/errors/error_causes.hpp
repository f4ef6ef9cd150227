// What is wrong where Clang reports another error: it depends on the tokens around the error.
#pragma once

#include <clang/Basic/SourceLocation.h>
#include <clang/Lex/Token.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

#include "frontend/errors/error_collector.hpp"
#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// The tokens of the file of an error around its place.
struct ErrorTokens {
  std::vector<clang::Token> before;  ///< from the beginning of the file, without directives
  std::vector<clang::Token> next;    ///< the one with the error, and all after it
  bool is_after_directive = false;   ///< whether a directive is between the two
};

ErrorTokens tokens_at(const FileContext& context, clang::SourceLocation place);

/// A name of the framework, which is written instead of another one.
struct RightName {
  llvm::StringLiteral name;
  std::string message;
};

/// What is meant by `app.delete(…)` and by a misspelt FW_EXPORT_DEFAULT.
std::optional<RightName> right_name(const FileContext& context, const ErrorCollector::Error& error);

/// What to write instead of a call of the framework that matches none of its functions; empty if
/// that is not known.
std::string remedy_of(const FileContext& context, const ErrorCollector::Error& error);

// missing_comma.cpp

/// Where a comma is missing, if that is what the error is about: an item of a list, or an argument,
/// begins after the end of another one. Invalid if something else may be wrong.
clang::SourceLocation missing_comma(const FileContext& context, const ErrorCollector::Error& error);

}  // namespace fairway::frontend
