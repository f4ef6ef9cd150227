#include <filesystem>
#include <system_error>
#include <vector>

#include "emit/application_outputs.hpp"
#include "files/input.hpp"
#include "files/whole_file.hpp"

namespace fairway::emit {

namespace fs = std::filesystem;

void OutputFiles::write(const fs::path& path, const std::string& content) {
  written_[path.lexically_normal()] = files::content_hash(content);
  if (files::read_file(directory_ / path) == content) return;
  files::replace_file(directory_ / path, content);
}

void OutputFiles::write_missing(const fs::path& path, const std::string& content) {
  write(path, files::read_file(directory_ / path).value_or(content));
}

std::map<fs::path, std::uint64_t> OutputFiles::contents() const {
  std::map<fs::path, std::uint64_t> all;
  for (const auto& [path, hash] : written_) all[directory_ / path] = hash;
  return all;
}

void OutputFiles::remove_stale(const fs::path& folder, const std::string& ending) const {
  std::error_code error;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::recursive_directory_iterator(directory_ / folder, error)) {
    const fs::path path = entry.path().lexically_relative(directory_);
    if (path.string().ends_with(ending) && !written_.contains(path)) stale.push_back(entry.path());
  }
  for (const fs::path& path : stale) fs::remove(path, error);
}

void OutputFiles::remove_stale(const std::vector<fs::path>& files) const {
  std::error_code error;
  const fs::path directory = fs::absolute(directory_).lexically_normal();
  for (const fs::path& file : files) {
    const fs::path path = fs::absolute(file).lexically_normal().lexically_relative(directory);
    const bool is_inside = !path.empty() && *path.begin() != "..";
    if (!is_inside || written_.contains(path)) continue;
    fs::remove(file, error);
    // Also removes its directory if it is empty.
    if (path.has_parent_path()) fs::remove(file.parent_path(), error);
  }
}

}  // namespace fairway::emit
