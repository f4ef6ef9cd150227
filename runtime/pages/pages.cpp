#include "pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fw::pages {
namespace {

namespace fs = std::filesystem;

bool is_page_file(const fs::path& path) {
  const std::string ending = path.extension().string();
  return (ending == ".html" || ending == ".js" || ending == ".css") &&
         !path.filename().string().starts_with('.');
}

/// The files of a directory, relative to it, sorted; none if it does not exist.
std::vector<fs::path> files_below(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (is_page_file(entry->path())) files.push_back(entry->path().lexically_relative(directory));
  }
  std::ranges::sort(files);
  return files;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string whole(std::span<const std::string_view> parts) {
  std::string content;
  for (const std::string_view part : parts) content += part;
  return content;
}

bool has_directory(const AppTable& table) {
  std::error_code ignored;
  return fs::is_directory(table.pages_directory, ignored);
}

}  // namespace

void Pages::open(const detail::PageRendering* rendering, bool reads_directories,
                 std::vector<std::string>& errors) {
  for (const AppTable* table : tables_) {
    if (!table->pages.empty()) tables_with_pages_.push_back(table);
  }
  if (tables_with_pages_.empty()) return;
  if (rendering == nullptr) {
    tables_with_pages_.clear();
    errors.emplace_back("the features of the application's table do not include pages");
    return;
  }
  rendering_ = rendering;
  reads_directories_ = reads_directories && std::ranges::any_of(tables_with_pages_, [](auto table) {
                         return has_directory(*table);
                       });
  times_ = times();
  set_ = rendering_->make_set(read(errors), errors);
}

std::vector<PageFile> Pages::read(std::vector<std::string>& errors) const {
  std::vector<PageFile> files;
  std::set<std::string> paths;
  const auto add = [&](std::string path, std::string content) {
    if (!paths.insert(path).second) {
      errors.push_back(fmt::format("the page file '{}' is in two applications", path));
      return;
    }
    files.push_back({std::move(path), std::move(content)});
  };
  for (const AppTable* table : tables_with_pages_) {
    if (reads_directories_ && has_directory(*table)) {
      const fs::path directory(table->pages_directory);
      for (const fs::path& path : files_below(directory)) {
        add(path.generic_string(), read_file(directory / path));
      }
      continue;
    }
    for (const PageFileRow& row : table->pages) {
      add(std::string(row.path), whole(row.content));
    }
  }
  return files;
}

Pages::Times Pages::times() const {
  Times times;
  if (!reads_directories_) return times;
  for (const AppTable* table : tables_with_pages_) {
    const fs::path directory(table->pages_directory);
    for (const fs::path& path : files_below(directory)) {
      std::error_code ignored;
      times[(directory / path).string()] = fs::last_write_time(directory / path, ignored);
    }
  }
  return times;
}

std::shared_ptr<const PageSet> Pages::current() const {
  if (!reads_directories_) return set_;
  const std::lock_guard lock(mutex_);
  Times now = times();
  if (now != times_) {
    std::vector<std::string> errors;
    auto set = rendering_->make_set(read(errors), errors);
    if (!errors.empty()) throw std::runtime_error(fmt::format("{}", fmt::join(errors, "\n")));
    set_ = std::move(set);
    times_ = std::move(now);
  }
  return set_;
}

std::vector<std::string> Pages::built(const PageSet& set, std::string_view route) const {
  std::vector<std::string> pages;
  for (const AppTable* table : tables_with_pages_) {
    if (table->pages_version != set.version()) continue;
    for (const StaticPageRow& row : table->static_pages) {
      if (row.path == route) pages.push_back(whole(row.content));
    }
  }
  return pages;
}

}  // namespace fw::pages
