#include "process/search_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace fairway::process {

namespace fs = std::filesystem;

std::vector<fs::path> search_path() {
  const char* path = std::getenv("PATH");
  std::istringstream words(path == nullptr ? "" : path);
  std::vector<fs::path> folders;
  for (std::string folder; std::getline(words, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

bool is_in_path(const std::string& program) {
  return std::ranges::any_of(search_path(), [&program](const fs::path& folder) {
    std::error_code ignored;
    const fs::path file = folder / program;
    return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
  });
}

}  // namespace fairway::process
