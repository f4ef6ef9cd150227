// Small ordered maps of strings: parameters, query, headers, cookies.
#pragma once

#include <fairway/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

/// Name-value pairs with unique names, in order of arrival. A flat list, since most requests have
/// few pairs; with more than `kMaxUnindexed` entries, an index avoids linear lookups.
class TextMap {
 public:
  using Entry = std::pair<std::string, std::string>;  ///< a name and its value

  TextMap() = default;  ///< empty
  /// @{
  /// Copies and moves. Moving leaves the source empty.
  TextMap(const TextMap& other)
      : entries_(other.entries_),
        index_(other.index_ ? std::make_unique<Index>(*other.index_) : nullptr) {}
  TextMap(TextMap&&) noexcept = default;
  TextMap& operator=(TextMap other) noexcept {
    entries_ = std::move(other.entries_);
    index_ = std::move(other.index_);
    return *this;
  }
  /// @}
  ~TextMap() = default;

  /// The value of a name (case-sensitive), valid until the map is changed; nothing if there is
  /// none.
  std::optional<std::string_view> find(std::string_view name) const {
    const std::size_t at = position(name);
    if (at == entries_.size()) return std::nullopt;
    return entries_[at].second;
  }
  /// Whether there is a value of this name.
  bool contains(std::string_view name) const { return position(name) != entries_.size(); }
  /// @{
  /// The pairs, in order of arrival.
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  /// @}

  /// Sets the value; replaces an existing one of the same name.
  void set(std::string name, std::string value) {
    const std::size_t at = position(name);
    if (at == entries_.size()) {
      append(std::move(name), std::move(value));
    } else {
      entries_[at].second = std::move(value);
    }
  }

  /// Adds the pair unless there is one of the same name. Returns whether it was added.
  bool insert(std::string name, std::string value) {
    if (contains(name)) return false;
    append(std::move(name), std::move(value));
    return true;
  }

  /// Appends `separator` and `value` to the value of the same name; like `set` if there is none.
  void join(std::string name, std::string_view separator, std::string_view value) {
    const std::size_t at = position(name);
    if (at == entries_.size()) {
      append(std::move(name), std::string(value));
    } else {
      entries_[at].second.append(separator).append(value);
    }
  }

 private:
  static constexpr std::size_t kMaxUnindexed = 16;
  // Ordered, not hashed: clients choose the names, and could choose them to collide.
  using Index = std::map<std::string, std::size_t, std::less<>>;

  std::size_t position(std::string_view name) const {
    if (index_) {
      const auto found = index_->find(name);
      return found == index_->end() ? entries_.size() : found->second;
    }
    std::size_t at = 0;
    while (at < entries_.size() && entries_[at].first != name) ++at;
    return at;
  }

  void append(std::string name, std::string value) {
    entries_.emplace_back(std::move(name), std::move(value));
    if (entries_.size() <= kMaxUnindexed) return;
    if (!index_) index_ = std::make_unique<Index>();
    for (std::size_t at = index_->size(); at < entries_.size(); ++at) {
      index_->emplace(entries_[at].first, at);
    }
  }

  std::vector<Entry> entries_;
  std::unique_ptr<Index> index_;  ///< of all entries; a pointer, since few maps need one
};

/// A JSON object of strings.
inline void to_json(Json& json, const TextMap& map) {
  json = Json::object();
  for (const auto& [name, value] : map) json[name] = value;
}

}  // namespace fw
