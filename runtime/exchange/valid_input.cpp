#include "exchange/valid_input.hpp"

#include <string>
#include <utility>

#include "base/json_position.hpp"
#include "base/json_text.hpp"
#include "schema/field_errors.hpp"

namespace fw::detail {

std::unique_ptr<TypedValue> read_tree(const TypeRow& row, Location location,
                                      ValidationResult& result) {
  const std::string text = base::to_json_text(result.value);
  JsonReader reader(text, location == Location::header ? JsonReader::Mode::validated_header
                                                       : JsonReader::Mode::validated);
  auto value = row.read_json(reader, location);
  if (value) return value;
  const std::string path = base::path_at(text, reader.offset());
  const schema::ValuePath root;
  schema::FieldErrors errors;
  errors.outside_type(path.empty() ? root : schema::ValuePath(root, path));
  result.errors = errors.take();
  return nullptr;
}

ValidInput::~ValidInput() {
  if (!trees_) return;
  for (Json& tree : *trees_) base::destroy_iteratively(tree);
}

void ValidInput::set_candidate(std::unique_ptr<TypedValue> value) {
  decoded_ |= bit(value->location);
  value->next = std::move(values_);
  values_ = std::move(value);
}

void ValidInput::forget_decoded(Location location) {
  if (!is_set(accepted_, location)) decoded_ &= static_cast<std::uint8_t>(~bit(location));
}

void ValidInput::accept_candidate(Location location, const TreeSource& source) {
  source_ = &source;
  const TypedValue* decoded = values_.get();
  while (decoded->location != location) decoded = decoded->next.get();
  accept(location, decoded);
}

void ValidInput::accept_tree(Location location, Json tree) {
  tree_of(location) = std::move(tree);
  has_tree_ |= bit(location);
  accept(location, nullptr);
}

void ValidInput::accept(Location location, const TypedValue* current) {
  accepted_ |= bit(location);
  for (TypedValue* value = values_.get(); value != nullptr; value = value->next.get()) {
    if (value->location == location && value != current) value->is_outdated = true;
  }
}

const Json& ValidInput::tree(Exchange& exchange, Location location) {
  static const Json none;
  if (!is_set(accepted_, location)) return none;
  if (!is_set(has_tree_, location)) {
    tree_of(location) = source_->make_tree(exchange, location);
    has_tree_ |= bit(location);
  }
  return tree_of(location);
}

const TypedValue* ValidInput::find(const std::type_info& type) const {
  for (const TypedValue* value = values_.get(); value != nullptr; value = value->next.get()) {
    if (value->is_outdated || !is_set(accepted_, value->location)) continue;
    if (value->type == type) return value;
  }
  return nullptr;
}

const TypedValue* ValidInput::find(const std::type_info& type, Location location) const {
  if (!is_set(accepted_, location)) return nullptr;
  for (const TypedValue* value = values_.get(); value != nullptr; value = value->next.get()) {
    if (value->location == location && !value->is_outdated && value->type == type) return value;
  }
  return nullptr;
}

const TypedValue& ValidInput::keep(std::unique_ptr<TypedValue> value) {
  std::unique_ptr<TypedValue>* end = &values_;
  while (*end) end = &(*end)->next;
  *end = std::move(value);
  return **end;
}

Json& ValidInput::tree_of(Location location) {
  if (!trees_) trees_ = std::make_unique<Trees>();
  return (*trees_)[static_cast<std::size_t>(location)];
}

}  // namespace fw::detail
