// [unused-suppression] A NOLINT comment silences something; and what such comments silence.
#pragma once

#include <string>
#include <vector>

#include "diagnostics/source_text.hpp"
#include "model/diagnostic.hpp"

namespace fairway::check {

/// Removes the lints that comments of `files` silence, and adds a warning for each named rule that
/// has nothing to silence or cannot be silenced. Ids that are not ours are left to their tools.
/// `lints_ran` is false when errors kept the lints from being looked for: then no comment is
/// called unused.
void apply_suppressions(model::Diagnostics& diagnostics, const std::vector<std::string>& files,
                        diagnostics::SourceText& sources, bool lints_ran);

}  // namespace fairway::check
