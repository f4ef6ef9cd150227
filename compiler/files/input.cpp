#include "files/input.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <limits>
#include <sys/stat.h>

#include "files/generated_note.hpp"
#include "files/whole_file.hpp"

namespace fairway::files {

/// The kind of a directory is always `listed`.
Input look_at(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  const auto nanoseconds = [](const timespec& time) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    return time.tv_sec * kSecond + time.tv_nsec;
  };
  return {.kind = S_ISDIR(status.st_mode) ? Input::Kind::listed : Input::Kind::read,
          .identity = {.size = static_cast<std::uint64_t>(status.st_size),
                       .modified = nanoseconds(status.st_mtim),
                       .changed = nanoseconds(status.st_ctim),
                       .number = status.st_ino},
          .content = 0};
}

Identity recorded(Identity identity) {
  using namespace std::chrono;
  constexpr auto kCoarsestTimestamp = seconds(2);  // FAT
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  const nanoseconds now = system_clock::now().time_since_epoch();
  const nanoseconds last(std::max(identity.modified, identity.changed));
  if (last >= now - kCoarsestTimestamp) identity.modified = kNever;
  return identity;
}

/// Processes eight bytes at a time, because a run reads megabytes of headers.
std::uint64_t content_hash(std::string_view bytes) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = bytes.size() * kFactor;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 29U;
  };
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t length = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), length);
    mix(word);
    bytes.remove_prefix(length);
  }
  mix(0);
  return hash;
}

bool is_generated_header(const std::string& path) {
  if (!path.ends_with(kGeneratedSuffix)) return false;
  const auto text = read_file(path);
  return text && text->find(kGeneratedNote) != std::string::npos;
}

std::uint64_t content_hash(const Inputs& inputs) {
  ArchiveWriter writer;
  for (const auto& [path, input] : inputs) {
    writer(path, input.kind, input.content);
    if (input.kind == Input::Kind::listed) writer(input.identity);
  }
  return content_hash(writer.bytes());
}

InputChecker::Current& InputChecker::current(std::string_view path) {
  const auto [known, is_new] = seen_.try_emplace(std::string(path));
  if (is_new && !is_generated_header(known->first)) known->second.state = look_at(known->first);
  return known->second;
}

Freshness InputChecker::check(std::string_view path, const Input& input) {
  using Kind = Input::Kind;
  const std::lock_guard lock(mutex_);
  Current& now = current(path);
  if (input.kind == Kind::missing || now.state.kind == Kind::missing) {
    return input.kind == now.state.kind ? Freshness::same : Freshness::changed;
  }
  if (input.kind == Kind::present) return Freshness::same;
  if (input.kind != now.state.kind) return Freshness::changed;
  if (input.identity == now.state.identity) return Freshness::same;
  if (input.kind == Kind::listed || input.identity.size != now.state.identity.size) {
    return Freshness::changed;
  }
  if (!now.hashed) {
    const auto text = read_file(std::string(path));
    if (!text) return Freshness::changed;
    now.state.content = content_hash(*text);
    now.hashed = true;
  }
  return input.content == now.state.content ? Freshness::same_content : Freshness::changed;
}

Freshness InputChecker::check(Inputs& inputs) {
  Freshness least = Freshness::same;
  for (auto& [path, input] : inputs) {
    const Freshness one = check(path, input);
    if (one == Freshness::changed) return one;
    if (one == Freshness::same_content) {
      const std::lock_guard lock(mutex_);
      input.identity = recorded(current(path).state.identity);
    }
    least = std::min(least, one);
  }
  return least;
}

}  // namespace fairway::files
