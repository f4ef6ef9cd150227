#include "files/static_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"
#include "files/media_types.hpp"

namespace fw::files {
namespace {

using compression::Coding;
using detail::OpenFile;

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

/// Replaces the file by a compressed one that the client prefers, if there is one that is not
/// older.
void take_neighbour(StaticFile& found, const std::string& root, const std::string& name,
                    std::optional<std::string_view> accept_encoding) {
  std::vector<Coding> codings;
  for (const Neighbour& neighbour : kNeighbours) codings.push_back(neighbour.coding);
  while (const auto coding = detail::choose_coding(accept_encoding, codings)) {
    const auto* neighbour = std::ranges::find(kNeighbours, *coding, &Neighbour::coding);
    auto file = OpenFile::open_below(root, name + std::string(neighbour->ending));
    if (file && file->modified() >= found.file->modified()) {
      found.file = std::move(file);
      found.coding = *coding;
      return;
    }
    std::erase(codings, *coding);
  }
}

std::optional<StaticFile> open(const StaticConfig& mount, const std::string& name,
                               const FileRequest& request,
                               const detail::CompressionPolicy& compressed_types) {
  StaticFile found;
  found.file = OpenFile::open_below(mount.root, name);
  if (!found.file) return std::nullopt;
  found.content_type = content_type_of(mount.options, name);
  found.cache_control = cache_control_of(mount.options, name);
  found.may_be_precompressed =
      mount.options.precompressed && compressed_types.covers(found.content_type);
  if (found.may_be_precompressed) {
    take_neighbour(found, mount.root, name, request.accept_encoding);
  }
  return found;
}

std::optional<StaticFile> find_below(const StaticConfig& mount, std::string_view rest,
                                     const FileRequest& request,
                                     const detail::CompressionPolicy& compressed_types) {
  const StaticOptions& options = mount.options;
  const auto relative = decode(rest, options.dot_files);
  if (!relative) return std::nullopt;
  if (!relative->name.empty() && !relative->is_directory) {
    if (auto found = open(mount, relative->name, request, compressed_types)) return found;
  }
  const std::string index =
      relative->name.empty() ? options.index : relative->name + "/" + options.index;
  if (relative->is_directory) {
    if (options.index.empty()) return std::nullopt;
    return open(mount, index, request, compressed_types);
  }
  if (options.index.empty() || !OpenFile::open_below(mount.root, index)) return std::nullopt;
  StaticFile directory;
  directory.redirect = std::string(request.path) + "/";
  return directory;
}

}  // namespace

std::string StaticFile::entity_tag() const {
  std::string tag;
  tag.reserve(kUsualTag);
  append_hex(tag += '"', static_cast<std::uint64_t>(file->modified()));
  append_hex(tag += '-', size());
  if (coding) tag.append("-").append(compression::name_of(*coding));
  return tag += '"';
}

bool has_hash(std::string_view name) {
  constexpr std::size_t kLeast = 8;
  constexpr std::size_t kMost = 64;
  name.remove_prefix(name.rfind('/') + 1);
  while (true) {
    const auto begin = name.find_first_of(".-_");
    if (begin == std::string_view::npos) return false;
    name.remove_prefix(begin + 1);
    const std::string_view part = name.substr(0, name.find_first_of(".-_"));
    const bool is_last = part.size() == name.size();  // the extension, if it is one
    if (part.size() < kLeast || part.size() > kMost || is_last) continue;
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
  const bool has_plain_prefix = config.prefix.starts_with('/') &&
                                config.prefix.find_first_of(":*?#%") == std::string::npos &&
                                config.prefix.find("//") == std::string::npos;
  if (!has_plain_prefix) {
    report("the prefix must begin with / and have no parameters");
    return;
  }
  std::error_code error;
  if (!std::filesystem::is_directory(config.root, error)) {
    report(fmt::format("'{}' is not a directory", config.root));
    return;
  }
  while (config.prefix.ends_with('/')) config.prefix.pop_back();
  const auto same = std::ranges::find(mounts_, config.prefix, &StaticConfig::prefix);
  if (same != mounts_.end()) {
    report(fmt::format("'{}' is served there already", same->root));
    return;
  }
  config.root = std::filesystem::absolute(config.root).string();
  const auto longer = [&](const StaticConfig& mount) {
    return mount.prefix.size() > config.prefix.size();
  };
  const auto position = std::partition_point(mounts_.begin(), mounts_.end(), longer);
  mounts_.insert(position, std::move(config));
}

std::optional<StaticFile> StaticFiles::find(
    const FileRequest& request, const detail::CompressionPolicy& compressed_types) const {
  for (const StaticConfig& mount : mounts_) {
    const auto rest = below(request.path, mount.prefix);
    if (!rest) continue;
    if (auto found = find_below(mount, *rest, request, compressed_types)) return found;
    const bool is_page = request.is_navigation && extension_of(*rest).empty();
    if (is_page && !mount.options.fallback.empty()) {
      return open(mount, mount.options.fallback, request, compressed_types);
    }
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace fw::files
