// The rules about files that involve other files. Each function is in a separate file that is named
// after the id of its rule.
#pragma once

#include <vector>

#include "model/application.hpp"
#include "model/parsed_file.hpp"
#include "resolve/route_files.hpp"
#include "rules/reporter.hpp"

namespace fairway::rules {

/// [no-default-export] [not-a-route-definition] A file must export the kind of value that its
/// folder requires. Reports no missing export of a file in which the front end has already reported
/// an error.
void check_export_kind(const model::ParsedFile& file, Reporter& reporter);

/// [reexport-not-resolvable] FW_REEXPORT_DEFAULT must name a route file, and re-exports must not
/// form a cycle. The error is reported only for the file that causes it.
void check_reexports(const model::ParsedFile& file, const resolve::Reexports& reexports,
                     Reporter& reporter);

/// [duplicate-route-file] Two files must not have the same prefix.
void check_duplicate_route_files(const std::vector<model::RouteFile>& files,
                                 model::Diagnostics& diagnostics);

}  // namespace fairway::rules
