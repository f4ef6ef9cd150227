#include "cli/project.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "check/route_files.hpp"
#include "files/archive.hpp"
#include "files/input.hpp"
#include "frontend/parse.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

/// The '.cpp' files below `folder`. Links are followed, except round in circles.
void add_sources(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code fault;
  const auto unreadable = [&](const fs::path& path) {
    return frontend::EnvironmentError(fmt::format(
        "cannot read the folder '{}': {}: make it readable", path.string(), fault.message()));
  };
  fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink,
                                         fault);
  if (fault) throw unreadable(folder);
  std::vector<fs::path> around = {fs::canonical(folder)};  // the folders that an entry stands in
  fs::path path;
  for (; entry != fs::recursive_directory_iterator(); entry.increment(fault)) {
    path = entry->path();
    around.resize(static_cast<std::size_t>(entry.depth()) + 1);
    if (entry->is_directory(fault)) {
      around.push_back(fs::canonical(path));
      if (std::find(around.begin(), around.end() - 1, around.back()) == around.end() - 1) continue;
      throw frontend::EnvironmentError(
          fmt::format("'{}' is a link to a folder that it stands in: remove it", path.string()));
    }
    if (path.extension() != ".cpp") continue;
    if (!entry->exists(fault)) {
      throw frontend::EnvironmentError(
          fmt::format("'{}' is a link to nothing: remove it", path.string()));
    }
    files.push_back(path);
  }
  if (fault) throw unreadable(path);
}

/// Route, middleware and plugin files below the directory, sorted.
std::vector<std::string> find_sources(const fs::path& directory) {
  std::error_code fault;
  if (!fs::is_directory(directory, fault)) {
    throw frontend::EnvironmentError(
        fmt::format("no source directory '{}': name it with --source-dir", directory.string()));
  }
  if (!fs::is_directory(directory / "routes", fault)) {
    throw frontend::EnvironmentError(fmt::format(
        "'{}' has no folder 'routes': make it, or name another folder with --source-dir",
        directory.string()));
  }
  std::vector<fs::path> paths;
  for (const char* folder : {"routes", "middlewares", "plugins"}) {
    if (!fs::is_directory(directory / folder, fault)) continue;
    add_sources(directory / folder, paths);
  }
  std::vector<std::string> files;
  for (const fs::path& path : paths) {
    files.push_back(path.lexically_relative(directory).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw frontend::EnvironmentError(fmt::format("cannot read the flags file '{}'", path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// The nearest folder with a compilation database: from the sources upwards, each folder itself and
/// its 'build', where clangd looks too.
std::optional<std::string> build_directory_above(const fs::path& source_dir) {
  std::error_code ignored;
  for (fs::path folder = source_dir;; folder = folder.parent_path()) {
    for (const fs::path& place : {folder, folder / "build"}) {
      if (fs::exists(place / "compile_commands.json", ignored)) return place.string();
    }
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

std::unique_ptr<frontend::FlagsProvider> flags_of(const Arguments& arguments,
                                                  const fs::path& source_dir) {
  const std::string here = fs::current_path().string();
  if (!arguments.rest().empty()) return frontend::fixed_flags(arguments.rest(), here);
  if (arguments.has("--flags-file")) {
    return frontend::fixed_flags(read_lines(arguments.get("--flags-file")), here);
  }
  if (arguments.has("-p")) return frontend::flags_from_database(arguments.get("-p"));
  return frontend::flags_from_database(build_directory_above(source_dir).value_or("build"));
}

/// Runs `work(index)` for all indices below `count` on up to `jobs` threads. The first exception is
/// rethrown when all have ended.
template <class Work>
void in_parallel(std::size_t count, unsigned jobs, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr fault;
  std::mutex fault_mutex;
  const auto worker = [&] {
    for (std::size_t index; (index = next++) < count;) {
      try {
        work(index);
      } catch (...) {
        const std::lock_guard lock(fault_mutex);
        if (!fault) fault = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t index = 1; index < std::min<std::size_t>(jobs, count); ++index) {
    threads.emplace_back(worker);
  }
  worker();
  threads.clear();
  if (fault) std::rethrow_exception(fault);
}

}  // namespace

ProjectReader::ProjectReader(const Arguments& arguments)
    : arguments_(arguments),
      source_dir_(fs::absolute(arguments.get("--source-dir", "src")).lexically_normal()),
      source_files_(find_sources(source_dir_)),
      flags_(flags_of(arguments, source_dir_)),
      parser_(arguments) {}

frontend::ParseJob ProjectReader::job(const std::string& path) const {
  return {.source_dir = source_dir_.string(),
          .path = path,
          .flags = flags_->flags_for(source_dir_ / path)};
}

std::optional<std::uint64_t> ProjectReader::digest() const {
  files::ArchiveWriter writer;
  for (const std::string& path : source_files_) {
    const auto file = parser_.digest(job(path));
    if (!file) return std::nullopt;
    writer(path, *file);
  }
  return files::content_hash(writer.bytes());
}

Project ProjectReader::read() const {
  Project project;
  project.source_files = source_files_;
  std::vector<model::ParsedFile> parsed(source_files_.size());
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  in_parallel(parsed.size(), arguments_.number("--jobs", processors),
              [&](std::size_t index) { parsed[index] = parser_.parse(job(source_files_[index])); });
  for (const model::ParsedFile& file : parsed) {
    project.dependencies.insert(file.dependencies.begin(), file.dependencies.end());
  }

  auto resolution = check::resolve(parsed, {.name = arguments_.get("--name"),
                                            .source_name = source_dir_.filename().string(),
                                            .middlewares = arguments_.all("--middleware")});
  project.application = std::move(resolution.application);
  project.report.files = parsed.size();
  for (const auto& file : project.application.files) project.report.routes += file.routes.size();
  project.report.diagnostics = std::move(resolution.diagnostics);
  project.parsed = std::move(parsed);
  return project;
}

Project read_project(const Arguments& arguments) { return ProjectReader(arguments).read(); }

}  // namespace fairway::cli
