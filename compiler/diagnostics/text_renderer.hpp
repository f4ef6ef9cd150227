// Findings for people, in the form of Clang's own diagnostics:
//
//   src/routes/users.cpp:9:31: error: unknown type 'strin' [bad-schema]
//       9 |   .body = {{"name", "strin"}},
//         |                      ^~~~~
//     route: POST /users
//     help: did you mean 'string'?
#pragma once

#include <string>
#include <string_view>

#include "diagnostics/report.hpp"
#include "diagnostics/source_text.hpp"

namespace fairway::diagnostics {

/// All findings, each ended by a line end, and nothing for none.
std::string render_text(const Report& report, SourceText& sources, bool color);

/// "2 errors and 1 warning in 2 files", without a line end; empty when there is nothing to say.
std::string render_text_summary(const Report& report);

/// "1 file", "2 files"
std::string counted(std::size_t count, std::string_view noun);

}  // namespace fairway::diagnostics
