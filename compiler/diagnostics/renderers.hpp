// Findings as text and in the formats of other programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>

#include "diagnostics/report.hpp"
#include "diagnostics/source_text.hpp"

namespace fairway::diagnostics {

// text_renderer.cpp: Findings as text, in the form of Clang's diagnostics:
//
//   src/routes/users.cpp:9:31: error: unknown type 'strin' [bad-schema]
//     9 |   .body = {{"name", "strin"}},
//       |                      ^~~~~
//   route: POST /users
//   help: did you mean 'string'?

/// All findings, each with a line end. Empty if there are none.
std::string render_text(const Report& report, SourceText& sources, bool color);

/// "2 errors and 1 warning in 2 files", without a line end; empty if there are no findings.
std::string render_text_summary(const Report& report);

// html_renderer.cpp: The same for a page.

/// An `<article>` for each finding, and their number; empty if there are none. The link of a rule
/// is `documentation` with its id.
std::string render_html(const Report& report, SourceText& sources, std::string_view documentation);
/// Text as content of an HTML element or of an attribute in double quotes.
std::string html_text(std::string_view text);

// json_renderer.cpp: Findings as the JSON document of `doctor --diagnostics-format json`.

/// One indented JSON object with a line end. Later versions may add members, but never rename them.
std::string render_json(const Report& report);
/// The same as a value.
nlohmann::ordered_json report_json(const Report& report);

// sarif_renderer.cpp: Findings as a SARIF 2.1.0 log, for code scanning and editors. Columns are in
// UTF-16 code units, the default of SARIF; paths are relative to SRCROOT.

struct SarifOptions {
  std::span<const model::Rule> rules;  ///< all rules that findings can refer to
  std::string tool_version;            ///< "0.1.0"
  std::string working_directory;       ///< absolute; relative paths of findings are relative to it
};

/// One indented log with one run and a line end.
std::string render_sarif(const Report& report, SourceText& sources, const SarifOptions& options);

// github_renderer.cpp: Findings as annotations of a GitHub Actions workflow:
//
//   ::error file=src/routes/users.cpp,line=9,endLine=9,col=31,endColumn=35,title=bad-schema::…

/// One workflow command for each finding. `prefix` is put before relative paths: the path from the
/// root of the repository to the working directory ("services/api/").
std::string render_github(const Report& report, SourceText& sources,
                          const std::string& prefix = {});

}  // namespace fairway::diagnostics
