#include "support/golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fairway::testing {

std::string golden(const std::string& path, const std::string& actual) {
  const auto file = std::filesystem::path(FAIRWAY_GOLDEN_DIR) / path;
  if (std::getenv("FAIRWAY_UPDATE_GOLDENS")) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << actual;
  }
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace fairway::testing
