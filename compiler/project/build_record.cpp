#include "project/build_record.hpp"

#include <fmt/format.h>

#include <functional>

#include "files/archive.hpp"
#include "files/input.hpp"
#include "files/whole_file.hpp"

namespace fairway::project {
namespace {

namespace fs = std::filesystem;

struct Record {
  std::uint64_t digest = 0;
  std::vector<std::string> command_line;
  std::map<std::string, std::uint64_t, std::less<>> outputs;
  std::vector<std::string> dependencies;
};

FAIRWAY_ARCHIVE(Record, digest, command_line, outputs, dependencies)

std::optional<Record> read_record(const std::optional<std::string>& bytes) {
  if (!bytes) return std::nullopt;
  Record record;
  try {
    files::ArchiveReader reader(*bytes);
    reader(record);
    reader.finish();
  } catch (const files::BadArchive&) {
    return std::nullopt;
  }
  return record;
}

void store_record(const files::CacheDirectory& cache, const std::string& name,
                  const BuildRecord::Outputs& outputs, Record record) {
  for (const auto& [path, hash] : outputs) record.outputs[fs::absolute(path).string()] = hash;
  files::ArchiveWriter writer;
  writer(record);
  cache.store(name, writer.bytes());
  cache.remove_unused();
}

bool has_content(const std::string& path, std::uint64_t hash) {
  const auto text = files::read_file(path);
  return text && files::content_hash(*text) == hash;
}

}  // namespace

BuildRecord::BuildRecord(const fs::path& cache, const fs::path& output_directory,
                         std::span<const std::string> command_line,
                         std::optional<std::uint64_t> digest)
    : cache_(cache / "builds"),
      name_(fmt::format("{:016x}.build",
                        files::content_hash(fs::absolute(output_directory).string()))),
      command_line_(command_line.begin(), command_line.end()),
      digest_(digest) {
  command_line_.push_back(fs::current_path().string());
}

std::optional<std::set<std::string>> BuildRecord::load() const {
  if (!digest_) return std::nullopt;
  auto found = read_record(cache_.load(name_));
  if (!found) return std::nullopt;
  Record& record = *found;
  if (record.digest != *digest_ || record.command_line != command_line_) return std::nullopt;
  for (const auto& [path, hash] : record.outputs) {
    if (!has_content(path, hash)) return std::nullopt;
  }
  return std::set<std::string>(record.dependencies.begin(), record.dependencies.end());
}

std::vector<fs::path> BuildRecord::outputs() const {
  std::vector<fs::path> paths;
  if (const auto record = read_record(cache_.load(name_))) {
    for (const auto& [path, hash] : record->outputs) paths.emplace_back(path);
  }
  return paths;
}

void BuildRecord::store(const Outputs& outputs, const std::set<std::string>& dependencies) const {
  if (!digest_) return;
  store_record(cache_, name_, outputs,
               {.digest = *digest_,
                .command_line = command_line_,
                .outputs = {},
                .dependencies = {dependencies.begin(), dependencies.end()}});
}

void BuildRecord::store_outputs(const Outputs& outputs) const {
  if (!digest_) return;
  // An empty command line never matches the command line of a build.
  store_record(cache_, name_, outputs, {});
}

}  // namespace fairway::project
