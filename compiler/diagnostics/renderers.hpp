// Findings as text and in the formats of other programs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diagnostics/report.hpp"
#include "diagnostics/source_text.hpp"

namespace fairway::diagnostics {

// text_renderer.cpp: Findings for people, in the form of Clang's own diagnostics:
// src/routes/users.cpp:9:31: error: unknown type 'strin' [bad-schema] 9 |   .body = {{"name",
// "strin"}}, |                      ^~~~~ route: POST /users help: did you mean 'string'?

/// All findings, each ended by a line end, and nothing for none.
std::string render_text(const Report& report, SourceText& sources, bool color);

/// "2 errors and 1 warning in 2 files", without a line end; empty when there is nothing to say.
std::string render_text_summary(const Report& report);

/// "1 file", "2 files"
std::string counted(std::size_t count, std::string_view noun);

// json_renderer.cpp: Findings for other programs: the document of `doctor --format json`.

/// One JSON object, indented, ended by a line end. Members may be added in later versions and are
/// never renamed.
std::string render_json(const Report& report);

// sarif_renderer.cpp: Findings as a SARIF 2.1.0 log, for code scanning and editors. Columns are
// in UTF-16 code units, which is what readers expect when nothing is said; paths are relative to
// SRCROOT.

struct SarifOptions {
  std::span<const model::Rule> rules;  ///< all that a finding can have
  std::string tool_version;            ///< "0.1.0"
  std::string working_directory;  ///< absolute; what relative paths of findings are relative to
};

/// One log with one run, indented, ended by a line end.
std::string render_sarif(const Report& report, SourceText& sources, const SarifOptions& options);

// github_renderer.cpp: Findings as annotations of a GitHub Actions workflow: ::error
// file=src/routes/users.cpp,line=9,endLine=9,col=31,endColumn=35,title=bad-schema::…

/// One workflow command a finding. `prefix` is put before relative paths: it leads from the root of
/// the repository, which annotations count from, to the working directory ("services/api/").
std::string render_github(const Report& report, SourceText& sources,
                          const std::string& prefix = {});

}  // namespace fairway::diagnostics
