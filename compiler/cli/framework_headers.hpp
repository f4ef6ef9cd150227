// The headers that come with this command.
#pragma once

#include <filesystem>
#include <optional>

namespace fairway::cli {

/// The folder that contains <fairway/fairway.hpp>: of the installation that this command belongs
/// to, else of the source tree that it was built from. Nothing when it is in neither.
std::optional<std::filesystem::path> framework_include_directory();

}  // namespace fairway::cli
