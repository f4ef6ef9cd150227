#include "features/static_files/static_file_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <span>
#include <system_error>

#include "base/ascii.hpp"
#include "base/literal_path.hpp"
#include "base/url_encoding.hpp"

namespace fw::detail {
namespace {

using compression::Coding;

constexpr std::string_view kForever = "public, max-age=31536000, immutable";
constexpr std::string_view kWellKnown = ".well-known";

/// The size of most entity tags.
constexpr std::size_t kUsualTag = 40;

void append_hex(std::string& text, std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
  text.append(digits.begin(), end);
}

/// A compressed file next to the original.
struct Neighbour {
  Coding coding;
  std::string_view ending;
};
/// The preferred ones first.
constexpr std::array kNeighbours = {Neighbour{Coding::brotli, ".br"},
                                    Neighbour{Coding::zstd, ".zst"},
                                    Neighbour{Coding::gzip, ".gz"}};

/// The rest of a path below a prefix; nothing if it is not there.
std::optional<std::string_view> below(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  path.remove_prefix(prefix.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

/// A path relative to a root.
struct Relative {
  std::string name;           ///< decoded, without slashes at its ends; empty for the root
  bool is_directory = false;  ///< it ends with a slash
};

/// Returns nothing for a path that cannot name a served file, for example if it has an empty or a
/// hidden segment.
std::optional<Relative> decode(std::string_view encoded, bool shows_dot_files) {
  if (encoded.empty()) return Relative{};
  Relative relative;
  bool is_valid = true;
  base::for_each_token(encoded.substr(1), '/', [&](std::string_view part) {
    if (relative.is_directory) is_valid = false;  // an empty segment is the last one
    const auto segment = base::decode_path(part);
    if (!segment || segment->find('/') != std::string::npos ||
        segment->find('\0') != std::string::npos || *segment == "." || *segment == "..") {
      is_valid = false;
      return;
    }
    if (segment->empty()) {
      relative.is_directory = true;
      return;
    }
    const bool is_first = relative.name.empty();
    const bool is_hidden = segment->front() == '.' && !(is_first && *segment == kWellKnown);
    if (is_hidden && !shows_dot_files) is_valid = false;
    if (!is_first) relative.name += '/';
    relative.name += *segment;
  });
  if (!is_valid) return std::nullopt;
  return relative;
}

std::string content_type_of(const StaticOptions& options, std::string_view name) {
  const std::string extension = base::lower_case(extension_of(name));
  const auto own = options.media_types.find(extension);
  return own != options.media_types.end() ? own->second : std::string(media_type_of(extension));
}

std::string cache_control_of(const StaticOptions& options, std::string_view name) {
  const bool is_immutable = options.immutable == ImmutableFiles::all ||
                            (options.immutable == ImmutableFiles::hashed && has_hash(name));
  return is_immutable ? std::string(kForever) : options.cache_control;
}

/// Whether a browser may get the fallback for a path that has no file.
bool may_fall_back(const StaticOptions& options, std::string_view rest) {
  return !options.fallback.empty() && extension_of(rest).empty();
}

}  // namespace

/// One search below the directory of a mount.
struct StaticFiles::Lookup {
  const StaticOptions& options;
  const Directory& root;
  const FileRequest& request;
  AbsentFiles& absent;
  const compression::CompressionPolicy& compressed_types;

  std::optional<StaticFile> find(std::string_view rest) const;
  std::optional<StaticFile> open(const std::string& name) const;
  /// Replaces the file by a compressed one that the client prefers, if there is one that is not
  /// older.
  void take_neighbour(StaticFile& found, const std::string& name) const;
  std::optional<OpenFile> open_neighbour(const std::string& name) const;
};

std::optional<StaticFile> StaticFiles::Lookup::find(std::string_view rest) const {
  const auto relative = decode(rest, options.dot_files);
  if (!relative) return std::nullopt;
  if (!relative->name.empty() && !relative->is_directory) {
    if (auto found = open(relative->name)) return found;
  }
  if (options.index.empty()) return std::nullopt;
  const std::string index =
      relative->name.empty() ? options.index : relative->name + "/" + options.index;
  if (relative->is_directory) return open(index);
  if (!OpenFile::open_below(root, index)) return std::nullopt;
  StaticFile directory;
  directory.redirect = std::string(request.path) + "/";
  return directory;
}

std::optional<StaticFile> StaticFiles::Lookup::open(const std::string& name) const {
  StaticFile found;
  found.file = OpenFile::open_below(root, name);
  if (!found.file) return std::nullopt;
  found.content_type = content_type_of(options, name);
  found.cache_control = cache_control_of(options, name);
  found.may_be_precompressed = options.precompressed && compressed_types.covers(found.content_type);
  if (found.may_be_precompressed) take_neighbour(found, name);
  return found;
}

void StaticFiles::Lookup::take_neighbour(StaticFile& found, const std::string& name) const {
  std::array<Coding, kNeighbours.size()> codings{};
  std::ranges::transform(kNeighbours, codings.begin(), &Neighbour::coding);
  std::span<Coding> left = codings;
  while (const auto coding = compression::choose_coding(request.accept_encoding, left)) {
    const auto* neighbour = std::ranges::find(kNeighbours, *coding, &Neighbour::coding);
    auto file = open_neighbour(name + std::string(neighbour->ending));
    if (file && file->modified() >= found.file->modified()) {
      found.file = std::move(file);
      found.coding = *coding;
      return;
    }
    left = left.first(left.size() - std::ranges::remove(left, *coding).size());
  }
}

std::optional<OpenFile> StaticFiles::Lookup::open_neighbour(const std::string& name) const {
  const std::uint64_t hash = std::hash<std::string>()(name);
  if (absent.has(hash, request.now)) return std::nullopt;
  auto file = OpenFile::open_below(root, name);
  if (!file) absent.add(hash, request.now);
  return file;
}

std::string StaticFile::entity_tag() const {
  std::string tag;
  tag.reserve(kUsualTag);
  append_hex(tag += '"', static_cast<std::uint64_t>(file->modified()));
  append_hex(tag += '-', size());
  if (coding) tag.append("-").append(compression::name_of(*coding));
  return tag += '"';
}

bool has_hash(std::string_view name) {
  constexpr std::size_t kMin = 8;
  constexpr std::size_t kMax = 64;
  name.remove_prefix(name.rfind('/') + 1);
  while (true) {
    const auto begin = name.find_first_of(".-_");
    if (begin == std::string_view::npos) return false;
    name.remove_prefix(begin + 1);
    const std::string_view part = name.substr(0, name.find_first_of(".-_"));
    const bool is_last = part.size() == name.size();  // the extension, if it is one
    if (part.size() < kMin || part.size() > kMax || is_last) continue;
    if (std::ranges::all_of(part, base::is_hex_digit) &&
        std::ranges::any_of(part, base::is_digit) && std::ranges::any_of(part, base::is_letter)) {
      return true;
    }
  }
}

void StaticFiles::add(StaticConfig config, std::vector<std::string>& errors) {
  const auto report = [&, prefix = config.prefix](std::string_view message) {
    errors.push_back(fmt::format("static files at '{}': {}", prefix, message));
  };
  if (!base::is_literal_prefix(config.prefix)) {
    report(fmt::format("the prefix {}", base::kLiteralPrefixRule));
    return;
  }
  std::error_code error;
  if (!std::filesystem::is_directory(config.root, error)) {
    report(fmt::format("'{}' is not a directory", config.root));
    return;
  }
  while (config.prefix.ends_with('/')) config.prefix.pop_back();
  for (const Mount& mount : mounts_) {
    if (mount.config.prefix != config.prefix) continue;
    report(fmt::format("'{}' is served there already", mount.config.root));
    return;
  }
  config.root = std::filesystem::absolute(config.root).string();
  const auto longer = [&](const Mount& mount) {
    return mount.config.prefix.size() > config.prefix.size();
  };
  const auto position = std::partition_point(mounts_.begin(), mounts_.end(), longer);
  auto root = std::make_unique<KeptDirectory>(config.root);
  mounts_.insert(position, Mount{.config = std::move(config),
                                 .root = std::move(root),
                                 .absent = std::make_unique<AbsentFiles>()});
}

std::pair<const StaticFiles::Mount*, std::string_view> StaticFiles::mount_of(
    std::string_view path) const {
  for (const Mount& mount : mounts_) {
    if (const auto rest = below(path, mount.config.prefix)) return {&mount, *rest};
  }
  return {nullptr, {}};
}

bool StaticFiles::has_fallback(std::string_view path) const {
  const auto [mount, rest] = mount_of(path);
  return mount != nullptr && may_fall_back(mount->config.options, rest);
}

std::optional<StaticFile> StaticFiles::find(
    const FileRequest& request, const compression::CompressionPolicy& compressed_types) const {
  const auto [mount, rest] = mount_of(request.path);
  if (mount == nullptr) return std::nullopt;
  const StaticOptions& options = mount->config.options;
  const auto root = mount->root->get();
  const Lookup lookup{options, *root, request, *mount->absent, compressed_types};
  if (auto found = lookup.find(rest)) return found;
  if (!request.is_navigation || !may_fall_back(options, rest)) return std::nullopt;
  auto found = lookup.open(options.fallback);
  if (!found) return std::nullopt;
  found->is_fallback = true;
  // It is the response for any path, even one that will have a file of its own.
  found->cache_control = options.cache_control;
  return found;
}

}  // namespace fw::detail
