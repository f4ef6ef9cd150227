#include <fairway/json.hpp>
#include <fairway/json_literal.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace fw::detail {
namespace {

bool is_member(const JsonItem& item) {
  const Json& tree = item.tree();
  return tree.is_array() && tree.size() == 2 && tree.front().is_string();
}

}  // namespace

JsonItem::JsonItem() noexcept {
  static_assert(sizeof(Json) <= sizeof(storage_) && alignof(Json) <= alignof(std::max_align_t));
  new (storage_) Json();
}
JsonItem::JsonItem(std::initializer_list<JsonItem> items) : JsonItem() {
  Json& made = mutable_tree();
  if (std::all_of(items.begin(), items.end(), is_member)) {
    made = Json::object();
    auto& members = made.get_ref<Json::object_t&>();
    for (const JsonItem& item : items) {
      Json& member = item.mutable_tree();
      members.emplace(std::move(member.front().get_ref<std::string&>()), std::move(member.back()));
    }
  } else {
    made = Json::array();
    auto& values = made.get_ref<Json::array_t&>();
    values.reserve(items.size());
    for (const JsonItem& item : items) values.push_back(std::move(item.mutable_tree()));
  }
}
JsonItem::JsonItem(Text text) { new (storage_) Json(std::string(text.text)); }

JsonItem::JsonItem(const JsonItem& other) { new (storage_) Json(other.tree()); }
JsonItem::JsonItem(JsonItem&& other) noexcept {
  new (storage_) Json(std::move(other.mutable_tree()));
}
JsonItem& JsonItem::operator=(JsonItem other) noexcept {
  mutable_tree().swap(other.mutable_tree());
  return *this;
}
JsonItem::~JsonItem() { mutable_tree().~basic_json(); }

const Json& JsonItem::tree() const {
  return *std::launder(reinterpret_cast<const Json*>(storage_));
}
Json& JsonItem::mutable_tree() const { return *std::launder(reinterpret_cast<Json*>(storage_)); }

void JsonItem::set_boolean(bool value) { mutable_tree() = value; }
void JsonItem::set_signed(std::int64_t value) { mutable_tree() = value; }
void JsonItem::set_unsigned(std::uint64_t value) { mutable_tree() = value; }
void JsonItem::set_number(double value) { mutable_tree() = value; }
void JsonItem::set_text(std::string_view text) { mutable_tree() = std::string(text); }
void JsonItem::set_tree(const Json& tree) { mutable_tree() = tree; }
void JsonItem::set_object() { mutable_tree() = Json::object(); }
void JsonItem::set_array() { mutable_tree() = Json::array(); }
void JsonItem::add(std::string_view name, JsonItem member) {
  mutable_tree().get_ref<Json::object_t&>().emplace(std::string(name),
                                                    std::move(member.mutable_tree()));
}
void JsonItem::add(JsonItem item) { mutable_tree().push_back(std::move(item.mutable_tree())); }

}  // namespace fw::detail
