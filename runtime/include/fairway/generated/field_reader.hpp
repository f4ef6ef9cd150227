// Reads the strings of a query, a path, of header fields or cookies straight into structs, for
// generated code:
//
//   void fw_decode(fw::detail::FieldReader& in, Page& out) {
//     if (in.require("page")) in.integer(out.page, {.least = 1});
//     if (in.find("order")) in.string(out.order.emplace());
//   }
#pragma once

#include <fairway/generated/json_reader.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace fw::detail {

/// Like JsonReader, for values that are strings without quotes: accepts numbers in the notation of
/// JSON, and fails if a value needs a conversion.
class FieldReader {
 public:
  FieldReader() = default;
  FieldReader(const FieldReader&) = delete;
  FieldReader& operator=(const FieldReader&) = delete;

  bool is_complete() const { return !failed_; }
  void fail() { failed_ = true; }

  /// Goes to the field; false if there is none.
  bool find(std::string_view name);
  /// The same; fails if there is none.
  bool require(std::string_view name);

  /// The string of the field.
  std::string_view text() const { return value_; }
  /// A string whose number of code points is within the bounds.
  void string(std::string& out, Range<std::size_t> length = {});
  /// A string of a format, such as `Kind::email`.
  void formatted(std::string& out, schema::Kind format);
  void integer(std::int64_t& out, Range<std::int64_t> range = {});
  void integer(std::uint64_t& out);
  void number(double& out, Range<double> range = {});
  void boolean(bool& out);

  template <class Enum>
    requires std::is_enum_v<Enum>
  void enumeration(Enum& out, std::initializer_list<std::string_view> values) {
    for (std::size_t index = 0; index < values.size(); ++index) {
      if (value_ != values.begin()[index]) continue;
      out = static_cast<Enum>(index);
      return;
    }
    failed_ = true;
  }

 protected:
  ~FieldReader() = default;

 private:
  virtual std::optional<std::string_view> value_of(std::string_view name) = 0;

  std::string_view value_;
  bool failed_ = false;
};

}  // namespace fw::detail
