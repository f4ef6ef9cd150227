#include <fairway/field_reader.hpp>

#include "base/strings.hpp"
#include "schema/formats.hpp"

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

void FieldReader::formatted(std::string& out, bool (*has_format)(std::string_view)) {
  if (has_format(value_)) {
    out = value_;
  } else {
    failed_ = true;
  }
}

void FieldReader::email(std::string& out) { formatted(out, schema::is_email); }
void FieldReader::url(std::string& out) { formatted(out, schema::is_url); }
void FieldReader::date(std::string& out) { formatted(out, schema::is_date); }
void FieldReader::datetime(std::string& out) { formatted(out, schema::is_datetime); }
void FieldReader::time(std::string& out) { formatted(out, schema::is_time); }
void FieldReader::uuid(std::string& out) { formatted(out, schema::is_uuid); }
void FieldReader::ipv4(std::string& out) { formatted(out, schema::is_ipv4); }
void FieldReader::ipv6(std::string& out) { formatted(out, schema::is_ipv6); }
void FieldReader::hostname(std::string& out) { formatted(out, schema::is_hostname); }

void FieldReader::integer(std::int64_t& out, Range<std::int64_t> range) {
  JsonReader reader(value_);
  reader.integer(out, range);
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
