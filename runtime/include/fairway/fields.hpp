// Small ordered maps of texts: parameters, query, headers, cookies.
#pragma once

#include <fairway/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

/// Name and value pairs in order of arrival, unique names. Flat: requests have few.
class TextMap {
 public:
  using Entry = std::pair<std::string, std::string>;

  std::optional<std::string_view> find(std::string_view name) const {
    for (const Entry& entry : entries_) {
      if (entry.first == name) return entry.second;
    }
    return std::nullopt;
  }
  bool contains(std::string_view name) const { return find(name).has_value(); }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  /// Sets the value, replacing one of the same name.
  void set(std::string name, std::string value) {
    for (Entry& entry : entries_) {
      if (entry.first == name) {
        entry.second = std::move(value);
        return;
      }
    }
    entries_.emplace_back(std::move(name), std::move(value));
  }

 private:
  std::vector<Entry> entries_;
};

/// A JSON object of texts.
inline void to_json(Json& json, const TextMap& map) {
  json = Json::object();
  for (const auto& [name, value] : map) json[name] = value;
}

}  // namespace fw
