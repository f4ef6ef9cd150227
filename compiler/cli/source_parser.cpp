#include "cli/source_parser.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

bool can_write(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  return ::access(directory.c_str(), W_OK | X_OK) == 0;
}

/// The user's cache directory by the XDG base directory specification, which ignores relative
/// paths. Empty if there is none.
fs::path cache_of_user() {
  constexpr std::array<std::array<const char*, 2>, 2> kCacheDirs = {
      {{"XDG_CACHE_HOME", "fairway"}, {"HOME", ".cache/fairway"}}};
  for (const auto& [variable, folder] : kCacheDirs) {
    const char* start = std::getenv(variable);
    if (start == nullptr || *start != '/') continue;
    const fs::path directory = fs::path(start) / folder;
    if (can_write(directory)) return directory;
  }
  return {};
}

}  // namespace

SourceParser::SourceParser(const ProjectOptions& options)
    : directory_(options.cache_dir.empty() ? cache_of_user() : options.cache_dir) {
  if (directory_.empty()) return;
  cache_ = std::make_unique<frontend::CachingParser>(
      directory_, frontend::CachingParser::Options{.uses_results = !options.no_cache});
}

std::optional<std::uint64_t> SourceParser::digest(const frontend::ParseJob& job) const {
  return cache_ == nullptr ? std::nullopt : cache_->digest(job);
}

frontend::ParseResult SourceParser::parse(const frontend::ParseJob& job) const {
  return cache_ == nullptr ? frontend::parse_with(job, nullptr) : cache_->parse(job);
}

}  // namespace fairway::cli
