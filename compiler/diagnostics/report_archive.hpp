// Serializes a Report to bytes and back.
#pragma once

#include "diagnostics/report.hpp"
#include "files/archive.hpp"
#include "model/parsed_file_archive.hpp"

namespace fairway::diagnostics {

FAIRWAY_ARCHIVE(Report, files, route_files, routes, diagnostics)

}  // namespace fairway::diagnostics
