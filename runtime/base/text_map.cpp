#include <fairway/fields.hpp>

#include <functional>
#include <map>
#include <string>

namespace fw {

/// Ordered, not hashed: clients choose the names, and could choose them to collide.
struct TextMap::Index : std::map<std::string, std::size_t, std::less<>> {};

TextMap::TextMap(const TextMap& other)
    : entries_(other.entries_),
      index_(other.index_ == nullptr ? nullptr : new Index(*other.index_)) {}

std::size_t TextMap::indexed_position(std::string_view name) const {
  const auto found = index_->find(name);
  return found == index_->end() ? entries_.size() : found->second;
}

void TextMap::index_entries() {
  if (index_ == nullptr) index_ = new Index;
  for (std::size_t at = index_->size(); at < entries_.size(); ++at) {
    index_->emplace(entries_[at].first, at);
  }
}

void TextMap::delete_index() { delete index_; }

void to_json(Json& json, const TextMap& map) {
  json = Json::object();
  for (const auto& [name, value] : map) json[name] = value;
}

}  // namespace fw
