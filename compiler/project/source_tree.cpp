#include "project/source_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "frontend/parse.hpp"

namespace fairway::project {
namespace {

namespace fs = std::filesystem;

using Endings = std::vector<std::string_view>;
const Endings kSourceEndings = {".cpp"};
const Endings kPageEndings = {".html", ".js", ".css"};
const Endings kOtherEndings = {".cc", ".cxx", ".c++", ".C"};
const std::vector<fs::path> kFolders = {"routes", "middlewares", "plugins", "pages"};

bool contains(const Endings& endings, const fs::path& path) {
  return std::ranges::find(endings, path.extension().string()) != endings.end();
}

class Finder {
 public:
  explicit Finder(const fs::path& directory) : directory_(directory) {}

  SourceTree run(const files::UnsavedFiles* unsaved) {
    for (const fs::path& folder : kFolders) {
      std::error_code error;
      if (fs::is_directory(directory_ / folder, error)) visit_folder(directory_ / folder);
    }
    if (!errors_.empty()) {
      std::ranges::sort(errors_);
      throw frontend::EnvironmentError(fmt::format("{}", fmt::join(errors_, "\n")));
    }
    if (unsaved != nullptr) {
      for (const auto& [path, text] : *unsaved) add_unsaved(path);
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
    std::vector<std::string>* const list = list_of(path.lexically_relative(directory_));
    if (list == nullptr) return;
    if (entry.exists(error) || list == &tree_.ignored) {
      add(path, *list);
    } else {
      errors_.push_back(fmt::format("'{}' is a dangling symbolic link: remove it", path.string()));
    }
  }

  void add_unsaved(const fs::path& path) {
    const fs::path relative = path.lexically_relative(directory_);
    const bool is_hidden = std::ranges::any_of(
        relative, [](const fs::path& name) { return name.string().starts_with('.'); });
    std::error_code error;
    if (is_hidden || fs::exists(path, error)) return;
    if (std::vector<std::string>* const list = list_of(relative)) add(path, *list);
  }

  void add(const fs::path& path, std::vector<std::string>& list) {
    list.push_back(&list == &tree_.ignored ? display_path(path)
                                           : path.lexically_relative(directory_).generic_string());
  }

  /// The list of a file below the directory; null if it is no source file.
  std::vector<std::string>* list_of(const fs::path& relative) {
    if (relative.empty() || std::ranges::find(kFolders, *relative.begin()) == kFolders.end()) {
      return nullptr;
    }
    const std::string folder = relative.begin()->string();
    if (folder == "pages") return contains(kPageEndings, relative) ? &tree_.pages : nullptr;
    if (contains(kSourceEndings, relative)) return &tree_.files;
    return folder == "routes" && contains(kOtherEndings, relative) ? &tree_.ignored : nullptr;
  }

  fs::path directory_;
  std::vector<fs::path> open_;  ///< real paths of the folders being visited, outermost first
  std::vector<std::string> errors_;
  SourceTree tree_;
};

}  // namespace

SourceTree find_sources(const fs::path& directory, const files::UnsavedFiles* unsaved) {
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
  return Finder(directory).run(unsaved);
}

std::string display_path(const fs::path& path) {
  const fs::path relative = path.lexically_relative(fs::current_path());
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace fairway::project
