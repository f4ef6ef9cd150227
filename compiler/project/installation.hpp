// Where this command is, and what came with it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fairway::project {

/// This program.
std::filesystem::path own_path();

/// The folder that contains <fairway/fairway.hpp>: of the installation that this command belongs
/// to, else of the source tree that it was built from. Nothing when it is in neither.
std::optional<std::filesystem::path> framework_include_directory();

/// The documentation of all diagnostics, with a heading for each id: the installed file, else the
/// file of the source tree. Empty when there is neither.
std::filesystem::path diagnostics_page();

/// The arguments of CMake with which a project finds this Fairway: none if it is installed where
/// CMake looks, else its prefix, or the sources it was built from with this command as the route
/// compiler.
std::vector<std::string> flags_to_find_fairway();

}  // namespace fairway::project
