// [reexport-not-resolvable] FW_REEXPORT_DEFAULT names a route file, and chains of them end.
#pragma once

#include <map>
#include <string>

#include "check/reporter.hpp"
#include "model/parsed_file.hpp"

namespace fairway::check {

/// All files of a run by their path below the source directory.
using FileIndex = std::map<std::string, const model::ParsedFile*>;

/// The file whose registrations a route file serves: the file itself or the end of its chain of
/// re-exports. Null when there is none; the fault is reported at the one file that causes it.
const model::ParsedFile* exporting_file(const model::ParsedFile& file, const FileIndex& files,
                                        Reporter& reporter);

}  // namespace fairway::check
