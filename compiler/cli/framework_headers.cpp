#include <system_error>

#include "cli/source_tree.hpp"

namespace fairway::cli {

namespace fs = std::filesystem;

std::optional<fs::path> framework_include_directory() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = (command.parent_path() / FAIRWAY_INCLUDE_FROM_BIN).lexically_normal();
  for (const fs::path& folder : {installed, fs::path(FAIRWAY_SOURCE_INCLUDE_DIR)}) {
    if (fs::exists(folder / "fairway" / "fairway.hpp", error)) return folder;
  }
  return std::nullopt;
}

}  // namespace fairway::cli
