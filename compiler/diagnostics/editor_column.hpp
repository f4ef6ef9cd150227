// Columns as editors and code hosts count them.
#pragma once

#include <string_view>

#include "diagnostics/source_text.hpp"
#include "model/range.hpp"

namespace fairway::diagnostics {

/// The column in UTF-16 code units, from 1 on, of a byte column of `line`. A byte order mark is no
/// part of the text and has no column; a byte that is no UTF-8 counts as the one character that
/// decoders replace it with.
unsigned utf16_column(std::string_view line, unsigned byte_column);

/// The range with both columns in UTF-16 code units. Columns of lines that cannot be read stay.
model::Range utf16_range(const model::Range& range, SourceText& sources);

}  // namespace fairway::diagnostics
