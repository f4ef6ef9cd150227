// Golden files: output that a test compares with a file of the repository. A test never changes
// them; tools/goldens.sh replaces them by what the tests have seen.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace fairway::test {

/// How `actual` differs from the golden file `golden_dir/path`, as `diff -u` writes it; nothing
/// when it does not. Keeps `actual` as `output_dir/path`.
inline std::string golden_difference(const std::filesystem::path& golden_dir,
                                     const std::filesystem::path& output_dir,
                                     const std::string& path, const std::string& actual) {
  const auto output = output_dir / path;
  std::filesystem::create_directories(output.parent_path());
  std::ofstream(output, std::ios::binary) << actual;
  std::ifstream stream(golden_dir / path, std::ios::binary);
  if (stream && std::string(std::istreambuf_iterator<char>(stream),
                            std::istreambuf_iterator<char>()) == actual) {
    return {};
  }
  const std::string command =
      "diff -uN '" + (golden_dir / path).string() + "' '" + output.string() + "'";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run diff");
  std::string difference;
  std::array<char, 4096> chunk{};
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    difference.append(chunk.data(), count);
  }
  ::pclose(pipe);
  return difference.empty() ? "diff does not show the difference of " + path : difference;
}

}  // namespace fairway::test
