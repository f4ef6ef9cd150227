// The lints: what is legal and still likely to be an oversight. `fairway doctor` alone runs them.
#pragma once

#include <vector>

#include "model/application.hpp"
#include "model/diagnostic.hpp"
#include "model/parsed_file.hpp"

namespace fairway::check {

/// The warnings about an application that was resolved from `files` without an error; sorted. The
/// result does not depend on the order of `files`.
model::Diagnostics lint(const model::Application& application,
                        const std::vector<model::ParsedFile>& files);

}  // namespace fairway::check
