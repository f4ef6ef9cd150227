// Findings as a SARIF 2.1.0 log, for code scanning and editors. Columns are in UTF-16 code units,
// which is what readers expect when nothing is said; paths are relative to SRCROOT.
#pragma once

#include <string>

#include "diagnostics/report.hpp"
#include "diagnostics/source_text.hpp"

namespace fairway::diagnostics {

struct SarifOptions {
  std::string tool_version;       ///< "0.1.0"
  std::string working_directory;  ///< absolute; what relative paths of findings are relative to
};

/// One log with one run, indented, ended by a line end.
std::string render_sarif(const Report& report, SourceText& sources, const SarifOptions& options);

}  // namespace fairway::diagnostics
