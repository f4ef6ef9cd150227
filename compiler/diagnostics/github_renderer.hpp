// Findings as annotations of a GitHub Actions workflow:
//
//   ::error file=src/routes/users.cpp,line=9,endLine=9,col=31,endColumn=35,title=bad-schema::…
#pragma once

#include <string>

#include "diagnostics/report.hpp"
#include "diagnostics/source_text.hpp"

namespace fairway::diagnostics {

/// One workflow command a finding. `prefix` is put before relative paths: it leads from the root of
/// the repository, which annotations count from, to the working directory ("services/api/").
std::string render_github(const Report& report, SourceText& sources,
                          const std::string& prefix = {});

}  // namespace fairway::diagnostics
