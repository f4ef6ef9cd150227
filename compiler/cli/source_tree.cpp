#include "cli/source_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "frontend/parse.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

using Endings = std::vector<std::string_view>;
const Endings kSourceEndings = {".cpp"};
const Endings kPageEndings = {".html", ".js", ".css"};
constexpr std::array<std::string_view, 4> kOtherEndings = {".cc", ".cxx", ".c++", ".C"};

class Finder {
 public:
  explicit Finder(const fs::path& directory) : directory_(directory) {}

  SourceTree run() {
    for (const char* folder : {"routes", "middlewares", "plugins", "pages"}) {
      std::error_code error;
      if (!fs::is_directory(directory_ / folder, error)) continue;
      is_routes_ = std::string_view(folder) == "routes";
      is_pages_ = std::string_view(folder) == "pages";
      visit_folder(directory_ / folder);
    }
    if (!errors_.empty()) {
      std::ranges::sort(errors_);
      throw frontend::EnvironmentError(fmt::format("{}", fmt::join(errors_, "\n")));
    }
    std::ranges::sort(tree_.files);
    std::ranges::sort(tree_.pages);
    std::ranges::sort(tree_.ignored);
    return std::move(tree_);
  }

 private:
  void visit_folder(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (std::ranges::find(open_, real) != open_.end()) {
      errors_.push_back(fmt::format(
          "'{}' is a symbolic link to a directory that contains it: remove it", folder.string()));
      return;
    }
    open_.push_back(real);
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (!entry->path().filename().string().starts_with('.')) visit(*entry);
    }
    if (error) {
      errors_.push_back(fmt::format("cannot read the directory '{}': {}: make it readable",
                                    folder.string(), error.message()));
    }
    open_.pop_back();
  }

  void visit(const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    std::error_code error;
    if (entry.is_directory(error)) return visit_folder(path);
    const std::string ending = path.extension().string();
    const auto& sources = is_pages_ ? kPageEndings : kSourceEndings;
    if (std::ranges::find(sources, ending) != sources.end()) {
      if (entry.exists(error)) {
        (is_pages_ ? tree_.pages : tree_.files)
            .push_back(path.lexically_relative(directory_).generic_string());
      } else {
        errors_.push_back(
            fmt::format("'{}' is a dangling symbolic link: remove it", path.string()));
      }
    } else if (is_routes_ && std::ranges::find(kOtherEndings, ending) != kOtherEndings.end()) {
      tree_.ignored.push_back(display_path(path));
    }
  }

  fs::path directory_;
  bool is_routes_ = false;
  bool is_pages_ = false;
  std::vector<fs::path> open_;  ///< real paths of the folders being visited, outermost first
  std::vector<std::string> errors_;
  SourceTree tree_;
};

}  // namespace

SourceTree find_sources(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    throw frontend::EnvironmentError(
        fmt::format("source directory '{}' does not exist; specify it with --source-dir",
                    display_path(directory)));
  }
  if (!fs::is_directory(directory / "routes", error)) {
    throw frontend::EnvironmentError(fmt::format(
        "'{}' has no directory 'routes': create it, or specify another directory with --source-dir",
        display_path(directory)));
  }
  return Finder(directory).run();
}

std::string display_path(const fs::path& path) {
  const fs::path relative = path.lexically_relative(fs::current_path());
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace fairway::cli
