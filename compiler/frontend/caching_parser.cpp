#include "frontend/caching_parser.hpp"

#include <clang/Basic/Version.h>
#include <fmt/format.h>

#include <utility>

#include "files/archive.hpp"
#include "frontend/invocation/invocation.hpp"
#include "model/parsed_file_archive.hpp"

namespace fairway::frontend {
namespace {

namespace fs = std::filesystem;

/// Identifies this program and its Clang, because another build may resolve a file differently.
std::string this_compiler() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const auto size = fs::file_size(program, error);
  const auto built = fs::last_write_time(program, error).time_since_epoch().count();
  return fmt::format("{} {} {}", clang::getClangFullVersion(), size, built);
}

/// The file, its flags, the working directory (to which paths are relative), and the environment.
std::string entry_name(const ParseJob& job) {
  std::error_code error;
  files::ArchiveWriter writer;
  writer(fs::current_path(error).string(), job.source_dir, job.path, job.flags.arguments,
         job.flags.directory, include_environment());
  writer(job.types_follow);
  if (job.generated != nullptr) writer(*job.generated);
  return fmt::format("{:016x}.result", files::content_hash(writer.bytes()));
}

}  // namespace

CachingParser::CachingParser(const fs::path& directory, Options options)
    : directory_(directory.empty() ? fs::path() : fs::absolute(directory).lexically_normal()),
      options_(options),
      results_(directory_ / "results"),
      headers_(directory_ / "headers", checker_),
      made_by_(this_compiler()) {}

ParseResult CachingParser::parse(const ParseJob& job) {
  const std::string name = entry_name(job);
  // Results from unsaved files are of no use to another run.
  const bool caches_result = uses_results() && job.unsaved == nullptr;
  if (caches_result) {
    if (auto result = load(job, name)) {
      ++reused_;
      return std::move(*result);
    }
  }
  ParseResult result = parse_file(job, directory_.empty() ? nullptr : &headers_);
  if (caches_result) store(name, result);
  return result;
}

std::optional<std::uint64_t> CachingParser::digest(const ParseJob& job) {
  if (!uses_results()) return std::nullopt;
  try {
    const Entry entry = find(job, entry_name(job));
    if (entry.freshness == files::Freshness::changed) return std::nullopt;
    files::ArchiveWriter writer;
    writer(made_by_, files::content_hash(entry.inputs), entry.bytes.substr(entry.result_at));
    return files::content_hash(writer.bytes());
  } catch (const files::BadArchive&) {
    return std::nullopt;
  }
}

CachingParser::Entry CachingParser::find(const ParseJob& job, const std::string& name) {
  auto bytes = results_.load(name);
  if (!bytes) return {};
  Entry entry;
  files::ArchiveReader reader(*bytes);
  std::string made_by;
  reader(made_by);
  if (made_by != made_by_) return {};
  reader(entry.header, entry.inputs);
  if (entry.header != 0) {
    const auto header = headers_.known(job.flags);
    if (header == nullptr || header->meaning != entry.header) return {};
  }
  entry.freshness = checker_.check(entry.inputs);
  entry.result_at = bytes->size() - reader.left();
  entry.bytes = std::move(*bytes);
  return entry;
}

std::optional<ParseResult> CachingParser::load(const ParseJob& job, const std::string& name) {
  try {
    Entry entry = find(job, name);
    if (entry.freshness == files::Freshness::changed) return std::nullopt;
    ParseResult result{.file = {}, .inputs = std::move(entry.inputs), .header = entry.header};
    files::ArchiveReader reader(std::string_view(entry.bytes).substr(entry.result_at));
    reader(result.file);
    reader.finish();
    // Stores the current time stamps, so that the next run need not read the files.
    if (entry.freshness == files::Freshness::same_content) store(name, result);
    return result;
  } catch (const files::BadArchive&) {
    return std::nullopt;
  }
}

void CachingParser::store(const std::string& name, const ParseResult& result) {
  std::call_once(tidied_, [&] { results_.remove_unused(); });
  files::ArchiveWriter writer;
  writer(made_by_, result.header, result.inputs, result.file);
  results_.store(name, writer.bytes());
}

}  // namespace fairway::frontend
