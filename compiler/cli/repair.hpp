// `doctor --fix`: certain repairs, made in the sources.
#pragma once

#include <filesystem>

#include "model/diagnostic.hpp"

namespace fairway::cli {

/// Makes the repairs of the findings in files below the working directory or the source directory,
/// and says on standard error what was repaired and what was not. Each file is replaced whole, with
/// its permissions. Returns whether a file was changed. Throws UserError naming the file
/// that cannot be written.
bool make_repairs(const model::Diagnostics& findings, const std::filesystem::path& source_dir);

}  // namespace fairway::cli
