// Files read and written as a whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::files {

/// Nothing when the file cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Replaces the file, whether its content is new or not: readers see the old content or the new
/// one, never a part, and nothing else remains, whatever interrupts it. Permissions and
/// links stay. Creates the folders it is in. Throws UserError with the file, reason and
/// remedy.
void replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace fairway::files
