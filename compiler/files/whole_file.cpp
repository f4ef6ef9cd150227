#include "files/whole_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace fairway::files {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), reason));
}

std::string last_error() { return std::generic_category().message(errno); }

/// Beside the file, so that it can be renamed; of this thread alone.
fs::path temporary_name(const fs::path& path) {
  return fmt::format("{}.{}.{:x}.tmp", path.string(), getpid(),
                     std::hash<std::thread::id>()(std::this_thread::get_id()));
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code fault;
  if (!fs::is_regular_file(path, fault)) return std::nullopt;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  std::string text;
  const auto size = file.tellg();
  if (size > 0) text.resize(static_cast<std::size_t>(size));
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void replace_file(const fs::path& path, std::string_view content) {
  std::error_code fault;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), fault);
  if (fault) fail(path, fault.message());
  const fs::path temporary = temporary_name(path);
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    if (!file) fail(path, last_error());
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
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

}  // namespace fairway::files
