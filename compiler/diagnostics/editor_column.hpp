// Columns as editors and code hosts count them.
#pragma once

#include <string_view>

#include "diagnostics/source_text.hpp"
#include "model/range.hpp"

namespace fairway::diagnostics {

/// Converts a byte column of `line` to UTF-16 code units; both count from 1. A byte order mark has
/// no column. A byte that is not UTF-8 counts as one character, because decoders replace it with
/// one.
unsigned utf16_column(std::string_view line, unsigned byte_column);

/// The range with both columns in UTF-16 code units. Columns in lines that cannot be read do not
/// change.
model::Range utf16_range(const model::Range& range, SourceText& sources);

}  // namespace fairway::diagnostics
