// Reads and writes whole files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::files {

/// Empty if the file cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Replaces the file atomically: readers see the old or the new content, never a part, and an
/// interruption leaves no other files. Keeps permissions and symbolic links. Creates the parent
/// directories. Throws UserError with the file, the reason and a remedy.
void replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace fairway::files
