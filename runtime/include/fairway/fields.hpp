// Small ordered maps of strings: parameters, query, headers, cookies.
#pragma once

#include <fairway/json_fwd.hpp>

#include <cstddef>
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
  TextMap(const TextMap& other);
  TextMap(TextMap&& other) noexcept
      : entries_(std::move(other.entries_)), index_(std::exchange(other.index_, nullptr)) {}
  TextMap& operator=(TextMap other) noexcept {
    entries_ = std::move(other.entries_);
    std::swap(index_, other.index_);
    return *this;
  }
  /// @}
  ~TextMap() {
    if (index_ != nullptr) delete_index();
  }

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
  struct Index;

  std::size_t position(std::string_view name) const {
    if (index_ != nullptr) return indexed_position(name);
    std::size_t at = 0;
    while (at < entries_.size() && entries_[at].first != name) ++at;
    return at;
  }

  void append(std::string name, std::string value) {
    entries_.emplace_back(std::move(name), std::move(value));
    if (entries_.size() > kMaxUnindexed) index_entries();
  }

  // The index, which few maps have, is not inline.
  std::size_t indexed_position(std::string_view name) const;
  void index_entries();
  void delete_index();

  std::vector<Entry> entries_;
  Index* index_ = nullptr;  ///< of all entries, owned; null for few entries
};

/// A JSON object of strings.
void to_json(Json& json, const TextMap& map);

}  // namespace fw
