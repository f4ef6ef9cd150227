// [no-default-export] [not-a-route-definition] A file exports what its folder is for.
#pragma once

#include "check/reporter.hpp"
#include "model/parsed_file.hpp"

namespace fairway::check {

/// Says nothing about a file whose export the front end has reported on.
void check_export_kind(const model::ParsedFile& file, Reporter& reporter);

}  // namespace fairway::check
