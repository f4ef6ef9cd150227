#include <fairway/generated/field_reader.hpp>

#include "base/utf8.hpp"
#include "schema/kinds.hpp"

namespace fw::detail {

bool FieldReader::find(std::string_view name) {
  if (failed_) return false;
  const auto value = value_of(name);
  value_ = value.value_or("");
  return value.has_value();
}

bool FieldReader::require(std::string_view name) {
  if (!find(name)) failed_ = true;
  return !failed_;
}

void FieldReader::string(std::string& out, Range<std::size_t> length) {
  const base::CodePoints points = base::count_code_points(value_);
  if (!points.well_formed || !length.contains(points.count)) {
    failed_ = true;
  } else {
    out = value_;
  }
}

void FieldReader::formatted(std::string& out, schema::Kind format) {
  if (schema::info(format).has_format(value_)) {
    out = value_;
  } else {
    failed_ = true;
  }
}

void FieldReader::integer(std::int64_t& out, Range<std::int64_t> range) {
  JsonReader reader(value_);
  reader.integer(out, range);
  if (!reader.is_complete()) failed_ = true;
}

void FieldReader::integer(std::uint64_t& out) {
  JsonReader reader(value_);
  reader.integer(out);
  if (!reader.is_complete()) failed_ = true;
}

void FieldReader::number(double& out, Range<double> range) {
  JsonReader reader(value_);
  reader.number(out, range);
  if (!reader.is_complete()) failed_ = true;
}

void FieldReader::boolean(bool& out) {
  JsonReader reader(value_);
  reader.boolean(out);
  if (!reader.is_complete()) failed_ = true;
}

}  // namespace fw::detail
