// A new folder that is written whole or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace fairway::scaffold {

/// Writes files, which are named by their paths in `folder`, to a temporary folder next to it, and
/// then renames that folder. If anything fails, `folder` is unchanged. SIGINT, SIGTERM and SIGHUP
/// are blocked until then. `folder` must not exist, or must be empty. Throws UserError.
void write_new_folder(const std::filesystem::path& folder,
                      const std::map<std::string, std::string>& files);

}  // namespace fairway::scaffold
