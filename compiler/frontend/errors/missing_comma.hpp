// Finds the comma whose absence Clang reports as another error.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include "frontend/errors/error_collector.hpp"
#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Where a comma is missing, if that is what the error is about: an item of a list, or an argument,
/// begins after the end of another one. Invalid if something else may be wrong.
clang::SourceLocation missing_comma(const FileContext& context, const ErrorCollector::Error& error);

}  // namespace fairway::frontend
