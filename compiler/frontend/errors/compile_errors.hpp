// Reports Clang's errors in a file.
#pragma once

#include <string>
#include <vector>

#include "frontend/errors/error_collector.hpp"
#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// The message about a missing system header, which is not an error in the file. Empty if there is
/// none. `are_excluded`: whether flags may hide the headers of the standard library.
std::string missing_system_header(const clang::SourceManager& sources,
                                  const std::vector<ErrorCollector::Error>& errors,
                                  bool are_excluded);

/// Whether an error is in `range`, or in a template that is instantiated there.
bool belongs_to(const FileContext& context, clang::SourceRange range,
                const ErrorCollector::Error& error);

/// Where an error that belongs to `range` is in it: of an error in a template, its use.
clang::SourceLocation location_in(const FileContext& context, clang::SourceRange range,
                                  const ErrorCollector::Error& error);

/// All of Clang's replacements. Empty if one of them is outside of this file, or if they are a
/// guess: the spelling of a name that is not a member in a list of initial values.
std::vector<model::FixIt> repairs(const FileContext& context, const ErrorCollector::Error& error);

/// Adds the uses of generated types that are not known to the file.
void keep_generated_names(FileContext& context, const std::vector<ErrorCollector::Error>& errors);

/// Adds errors to the diagnostics of the file, except those in handlers that the build of the
/// program reports.
void report_compile_errors(FileContext& context, const std::vector<ErrorCollector::Error>& errors);

/// Whether the error is one for an extension of GCC that changes no type: calls of the C library's
/// functions in constant expressions, and arrays of variable length with initial values.
bool is_extension_of_gcc(const ErrorCollector::Error& error);

}  // namespace fairway::frontend
