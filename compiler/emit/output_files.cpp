#include "emit/output_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace fairway::emit {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), reason));
}

std::string last_error() { return std::generic_category().message(errno); }

}  // namespace

void replace_file(const fs::path& path, const std::string& content) {
  std::error_code fault;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), fault);
  if (fault) fail(path, fault.message());
  const fs::path temporary = fmt::format("{}.{}.tmp", path.string(), getpid());
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    if (!file) fail(path, last_error());
    file << content;
    file.close();
    if (!file) {
      const std::string reason = last_error();
      fs::remove(temporary, fault);
      fail(path, reason);
    }
  }
  fs::rename(temporary, path, fault);
  if (fault) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    fail(path, fault.message());
  }
}

void OutputFiles::write(const fs::path& path, const std::string& content) {
  written_.insert(path.lexically_normal());
  if (read(directory_ / path) == content) return;
  replace_file(directory_ / path, content);
}

void OutputFiles::remove_stale(const fs::path& folder, const std::string& ending) const {
  std::error_code fault;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::recursive_directory_iterator(directory_ / folder, fault)) {
    const fs::path path = entry.path().lexically_relative(directory_);
    if (path.string().ends_with(ending) && !written_.contains(path)) stale.push_back(entry.path());
  }
  for (const fs::path& path : stale) fs::remove(path, fault);
}

}  // namespace fairway::emit
