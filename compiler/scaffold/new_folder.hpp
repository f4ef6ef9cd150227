// A new folder that is written whole or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace fairway::scaffold {

/// Writes the files, by their paths in `folder`. They are written to a temporary folder beside it,
/// which is renamed at the end: whatever fails, `folder` is as it was before, and SIGINT, SIGTERM
/// and SIGHUP wait until then. `folder` must not exist, or be empty. Throws UserError.
void write_new_folder(const std::filesystem::path& folder,
                      const std::map<std::string, std::string>& files);

}  // namespace fairway::scaffold
