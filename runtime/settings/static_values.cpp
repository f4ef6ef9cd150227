#include "settings/static_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace fw::settings {
namespace {

constexpr std::array<std::string_view, 3> kImmutable = {"hashed", "all", "none"};

bool read(std::string& target, const Json& value) {
  if (value.is_string()) target = value.get<std::string>();
  return value.is_string();
}

bool read(bool& target, const Json& value) {
  if (value.is_boolean()) target = value.get<bool>();
  return value.is_boolean();
}

bool read(ImmutableFiles& target, const Json& value) {
  const auto* const found =
      std::ranges::find_if(kImmutable, [&](std::string_view name) { return value == Json(name); });
  if (found == kImmutable.end()) return false;
  target = static_cast<ImmutableFiles>(found - kImmutable.begin());
  return true;
}

bool read(std::map<std::string, std::string>& target, const Json& value) {
  if (!value.is_object()) return false;
  for (const auto& [extension, type] : value.items()) {
    if (!read(target[extension], type)) return false;
  }
  return true;
}

/// Calls `use(name, member)` for each member of an entry.
template <class Entry, class Use>
void for_each_member(Entry& entry, const Use& use) {
  use("prefix", entry.prefix);
  use("root", entry.root);
  use("index", entry.options.index);
  use("fallback", entry.options.fallback);
  use("immutable", entry.options.immutable);
  use("cacheControl", entry.options.cache_control);
  use("precompressed", entry.options.precompressed);
  use("dotFiles", entry.options.dot_files);
  use("mediaTypes", entry.options.media_types);
}

bool read_entry(StaticConfig& entry, const Json& value) {
  if (!value.is_object() || !value.contains("prefix") || !value.contains("root")) return false;
  std::size_t known = 0;
  bool is_valid = true;
  for_each_member(entry, [&](const char* name, auto& member) {
    const auto found = value.find(name);
    if (found == value.end()) return;
    ++known;
    is_valid = is_valid && read(member, *found);
  });
  return is_valid && known == value.size();
}

}  // namespace

bool read_static_files(std::vector<StaticConfig>& target, const Json& value) {
  if (!value.is_array()) return false;
  std::vector<StaticConfig> entries;
  for (const Json& item : value) {
    if (!read_entry(entries.emplace_back(), item)) return false;
  }
  target = std::move(entries);
  return true;
}

Json write_static_files(const std::vector<StaticConfig>& entries) {
  Json list = Json::array();
  for (const StaticConfig& entry : entries) {
    Json written = Json::object();
    for_each_member(entry, [&](const char* name, const auto& member) {
      if constexpr (std::is_same_v<std::decay_t<decltype(member)>, ImmutableFiles>) {
        written[name] = kImmutable[static_cast<std::size_t>(member)];
      } else {
        written[name] = member;
      }
    });
    list.push_back(std::move(written));
  }
  return list;
}

}  // namespace fw::settings
