#include "cli/build_record.hpp"

#include <fmt/format.h>

#include "files/archive.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

struct Record {
  std::uint64_t digest = 0;
  std::vector<std::string> command_line;
  files::Inputs outputs;
  std::vector<std::string> dependencies;
};

template <class Archive, files::Like<Record> T>
void archive_members(Archive& archive, T& record) {
  auto& [digest, command_line, outputs, dependencies] = record;
  archive(digest, command_line, outputs, dependencies);
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
  const auto bytes = cache_.load(name_);
  if (!bytes) return std::nullopt;
  Record record;
  try {
    files::ArchiveReader reader(*bytes);
    reader(record);
    reader.finish();
  } catch (const files::BadArchive&) {
    return std::nullopt;
  }
  if (record.digest != *digest_ || record.command_line != command_line_) return std::nullopt;
  if (files::InputChecker().check(record.outputs) != files::Freshness::same) return std::nullopt;
  return std::set<std::string>(record.dependencies.begin(), record.dependencies.end());
}

void BuildRecord::store(const std::vector<fs::path>& outputs,
                        const std::set<std::string>& dependencies) const {
  if (!digest_) return;
  Record record{.digest = *digest_,
                .command_line = command_line_,
                .outputs = {},
                .dependencies = {dependencies.begin(), dependencies.end()}};
  for (const fs::path& output : outputs) {
    const std::string path = fs::absolute(output).string();
    record.outputs[path] = files::look_at(path);
  }
  files::ArchiveWriter writer;
  writer(record);
  cache_.store(name_, writer.bytes());
  cache_.remove_unused();
}

}  // namespace fairway::cli
