// Applications made up for measuring.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace fairway::bench {

struct Tree {
  std::size_t files = 0;
  std::size_t routes_per_file = 0;
  /// Every file includes a header of the application that brings in much of the standard library.
  bool heavy = false;
  /// Handlers read bodies as the types that the build generates for them.
  bool typed = false;

  std::size_t routes() const { return files * routes_per_file; }
  std::string name() const;
};

/// Writes `src/` below `directory`. Returns the route files' absolute paths.
std::vector<std::filesystem::path> write_tree(const Tree& tree,
                                              const std::filesystem::path& directory);

/// Changes the path of one route, as an author of the file would.
void edit_file(const std::filesystem::path& file);

}  // namespace fairway::bench
