#include "files/cache_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <vector>

#include "files/input.hpp"
#include "files/whole_file.hpp"

namespace fairway::files {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kHour{1};
constexpr std::chrono::hours kDay{24};
constexpr std::chrono::hours kMonth{24 * 30};

/// 16 digits, stored before the bytes.
std::string check_sum(std::string_view bytes) {
  return fmt::format("{:016x}", content_hash(bytes));
}

std::chrono::nanoseconds age(const fs::path& file) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  if (error) return {};
  return fs::file_time_type::clock::now() - written;
}

}  // namespace

std::optional<std::string> CacheDirectory::load(std::string_view name) const {
  constexpr std::size_t kSumLength = 16;
  const fs::path file = path_ / name;
  auto text = read_file(file);
  if (!text || text->size() < kSumLength) return std::nullopt;
  if (check_sum(std::string_view(*text).substr(kSumLength)) !=
      std::string_view(*text).substr(0, kSumLength)) {
    return std::nullopt;
  }
  text->erase(0, kSumLength);
  mark_used(file);
  return text;
}

void CacheDirectory::store(std::string_view name, std::string_view bytes) const {
  try {
    replace_file(path_ / name, check_sum(bytes).append(bytes));
  } catch (const std::exception&) {
    return;  // for example, the disk is full or the directory not writable; the next run computes
             // the data again
  }
}

/// Once an hour is enough and saves disk writes.
void CacheDirectory::mark_used(const fs::path& file) const {
  std::error_code error;
  if (age(file) > kHour) fs::last_write_time(file, fs::file_time_type::clock::now(), error);
}

void CacheDirectory::remove_unused(std::uintmax_t most) const {
  struct Kept {
    fs::file_time_type used;
    fs::path file;
    std::uintmax_t size;
  };
  std::error_code error;
  std::vector<fs::path> unused;
  std::vector<Kept> kept;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    if (!entry.is_regular_file(error)) continue;
    const auto limit = entry.path().extension() == ".tmp" ? kDay : kMonth;
    if (age(entry.path()) > limit) {
      unused.push_back(entry.path());
      continue;
    }
    const std::uintmax_t size = entry.file_size(error);
    if (error) continue;  // another process has removed it
    kept.push_back({entry.last_write_time(error), entry.path(), size});
    bytes += size;
  }
  std::ranges::sort(kept, {}, &Kept::used);
  for (const Kept& each : kept) {
    if (bytes <= most) break;
    unused.push_back(each.file);
    bytes -= each.size;
  }
  for (const fs::path& file : unused) fs::remove(file, error);
}

}  // namespace fairway::files
