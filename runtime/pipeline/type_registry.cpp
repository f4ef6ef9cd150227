#include "pipeline/type_registry.hpp"

#include <fairway/generated/type_code.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/type_json.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "errors/exception_info.hpp"

namespace fw::detail {
namespace {

/// The tree of the text, with NaN for each number that JSON cannot have.
Json tree_with_not_finite(const JsonWriter& writer) {
  constexpr std::string_view kNull = "null";
  const std::string_view content = writer.content();
  std::string mark = "not finite";  // a string that is nowhere else
  while (content.find(mark) != std::string_view::npos) mark += '.';
  std::string text;
  std::size_t from = 0;
  for (const std::size_t at : writer.not_finite()) {
    text.append(content.substr(from, at - from)).append("\"").append(mark).append("\"");
    from = at + kNull.size();
  }
  text.append(content.substr(from));
  return Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::value && parsed == mark) {
      parsed = std::numeric_limits<double>::quiet_NaN();
    }
    return true;
  });
}

}  // namespace

std::string schema_text(const TypeRow& row) {
  std::string text;
  for (const std::string_view part : row.schema) text += part;
  return text;
}

void register_types(std::span<const TypeRow* const> rows, std::vector<std::string>& errors) {
  for (const TypeRow* const row : rows) {
    const TypeRow* known = row->slot->load(std::memory_order_acquire);
    if (known == row) continue;
    if (known != nullptr && !known->schema.empty() && !row->schema.empty() &&
        schema_text(*known) != schema_text(*row)) {
      errors.push_back(
          fmt::format("the type '{}' has different schemas in two route tables", row->name));
      continue;
    }
    // Rows of one type differ if only one of the tables uses it as a schema. Another application
    // may mount its table at the same time.
    while ((known == nullptr || (known->schema.empty() && !row->schema.empty())) &&
           !row->slot->compare_exchange_weak(known, row, std::memory_order_acq_rel)) {
    }
  }
}

void throw_missing_code(const std::type_info& type) {
  throw std::logic_error(fmt::format(
      "no code was generated for the type '{}'; rebuild the application", type_name(type.name())));
}

const TypeRow& row_of(const TypeReference& type) {
  const TypeRow* const row = type.row();
  if (row == nullptr || row->schema.empty()) throw_missing_code(type.type());
  return *row;
}

void throw_without_name(const std::type_info& enumeration, std::int64_t value) {
  throw std::invalid_argument(
      fmt::format("the value {} of '{}' is no enumerator", value, type_name(enumeration.name())));
}

void throw_null_pointer(const std::type_info& type) {
  throw std::invalid_argument(
      fmt::format("a container has a '{}' that is null", type_name(type.name())));
}

void write_by_row(const TypeRow& row, JsonWriter& out, const void* value) { row.write(out, value); }

Json EncodableData::to_tree() const {
  if (convert != nullptr) {
    Json tree;
    convert(tree, value);
    return tree;
  }
  JsonWriter writer;
  encode(writer, value);
  return writer.is_exact() ? Json::parse(writer.content()) : tree_with_not_finite(writer);
}

// Not in base/json_literal.cpp, which the route compiler uses, too.
void JsonItem::set_encoded(const EncodableData& data) { mutable_tree() = data.to_tree(); }

}  // namespace fw::detail
