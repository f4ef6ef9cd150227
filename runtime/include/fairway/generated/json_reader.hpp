// Reads JSON text straight into structs, for generated code and for FW_JSON:
//
//   void fw_decode(fw::detail::JsonReader& in, Point& out) {
//     static constexpr std::string_view kMembers[] = {"x", "y"};
//     for (fw::detail::JsonObject object(in, kMembers, 0b11); object.next();) {
//       switch (object.member()) {
//         case 0:
//           in.integer(out.x);
//           break;
//         case 1:
//           in.integer(out.y, {.least = 0});
//           break;
//       }
//     }
//   }
#pragma once

#include <fairway/generated/schema_kind.hpp>
#include <fairway/json_fwd.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fw::detail {

/// Bounds of a value, a length or a count, both inclusive.
template <class Number>
struct Range {
  Number least = std::numeric_limits<Number>::lowest();
  Number most = std::numeric_limits<Number>::max();

  constexpr bool contains(Number value) const { return value >= least && value <= most; }
};

/// The types of JSON values, as bits of a set.
enum class JsonTypes : unsigned {
  object = 1,
  array = 2,
  string = 4,
  number = 8,
  boolean = 16,
  null = 32,
  all = 63,
};

constexpr JsonTypes operator|(JsonTypes a, JsonTypes b) {
  return static_cast<JsonTypes>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool have_common(JsonTypes a, JsonTypes b) {
  return (static_cast<unsigned>(a) & static_cast<unsigned>(b)) != 0;
}

/// Reads one JSON text in a single pass, and accepts only values that have exactly the declared
/// type and are within their bounds. On anything else (a value of another type that could be
/// converted, a number in an unusual form, an unknown or repeated member, more than 512 levels, an
/// error), the reader fails; the caller then parses, validates and converts the text as a tree.
/// Values that are read after the first failure have no meaning. The text must outlive the reader.
class JsonReader {
 public:
  /// `validated` is for the text of a tree that has been validated: unknown members are skipped,
  /// and numbers may have any form. With `validated_header`, names are also read in any case.
  enum class Mode { strict, validated, validated_header };

  explicit JsonReader(std::string_view text, Mode mode = Mode::strict)
      : begin_(text.data()),
        at_(begin_),
        end_(begin_ + text.size()),
        state_(static_cast<State>(mode)) {}

  /// Whether the text was exactly one value, and was accepted.
  bool is_complete();
  bool failed() const { return state_ == State::failed; }
  void fail() { state_ = State::failed; }
  /// The number of bytes that have been read; after a failure, its position.
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }

  /// A string whose number of code points is within the bounds.
  void string(std::string& out, Range<std::size_t> length = {});
  /// A string of a format, such as `Kind::email`.
  void formatted(std::string& out, schema::Kind format);
  /// Numbers without fraction and exponent.
  void integer(std::int64_t& out, Range<std::int64_t> range = {});
  void integer(std::uint64_t& out);
  /// Numbers below 2^53 in magnitude.
  void number(double& out, Range<double> range = {});
  void boolean(bool& out);
  /// Skips `null`; false if the value is another one.
  bool null();
  /// Any value, as a tree.
  void tree(Json& out);

  /// The type of the value that is next; none at the end, and for text that is no JSON.
  JsonTypes next_type();
  /// Whether the object that is next, which is not read, has a member with this string. A reader
  /// bounds what it reads twice.
  bool has_member(std::string_view name, std::string_view value);
  /// Returns to the state before an attempt to read a value, so that it can be read as another
  /// type. A reader bounds what it reads twice.
  void retry(const JsonReader& before);

  /// One of the listed strings, for an enum class whose enumerators are in their order.
  template <class Enum>
    requires std::is_enum_v<Enum>
  void enumeration(Enum& out, std::initializer_list<std::string_view> values) {
    out = static_cast<Enum>(index_of_string({values.begin(), values.size()}));
  }

  /// The index of the string that is next in the list.
  std::size_t one_of(const std::string_view* values, std::size_t count) {
    return index_of_string({values, count});
  }

  /// Calls `read_item()` for each item of an array.
  template <class ReadItem>
  void items(ReadItem read_item) {
    if (!begin_array()) return;
    for (bool is_first = true; next_item(is_first); is_first = false) read_item();
  }

  /// Calls `read_value(name)`, in which the name may be moved, for each member of an object.
  template <class ReadValue>
  void members(ReadValue read_value) {
    if (!begin_level('{')) return;
    std::string name;
    for (bool is_first = true; next_member(is_first, name); is_first = false) read_value(name);
  }

  /// `read_item(item)` reads one item into a new element.
  template <class T, class ReadItem>
  void array(std::vector<T>& out, Range<std::size_t> count, ReadItem read_item) {
    if (!begin_array()) return;
    while (next_item(out.empty())) {
      if (out.size() == out.capacity()) out.reserve(out.size() < 4 ? 8 : 2 * out.size());
      if constexpr (std::same_as<T, bool>) {
        bool item = false;
        read_item(item);
        out.push_back(item);
      } else {
        read_item(out.emplace_back());
      }
    }
    if (!count.contains(out.size())) fail();
  }

 private:
  friend class JsonObject;

  /// The mode, until the reader fails. One value, so that the readers of members compare once.
  enum class State { strict, validated, validated_header, failed };

  struct Names {
    const std::string_view* first;
    std::size_t count;
  };

  /// The first character that is not whitespace; a zero byte at the end.
  char peek();
  /// Skips whitespace and the character; fails if another character follows.
  bool take(char c);
  bool take_literal(std::string_view literal);
  bool begin_level(char c);
  void end_level();
  /// The content of a string: part of the text, or unescaped in `storage`. Sets `code_points`.
  std::string_view read_string(std::string& storage, std::size_t& code_points);
  void unescape(const char* from, std::string& out);
  std::size_t index_of_string(Names values);
  bool begin_array();
  bool next_item(bool is_first);
  bool next_member(bool is_first, std::string& name);
  /// Skips a value, whose syntax is only checked as far as necessary to find its end.
  void skip();
  void skip_string();
  /// Counts bytes that are read more than once. Fails if they are too many.
  void charge(std::size_t bytes);

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t charged_ = 0;
  int depth_ = 0;  ///< levels of the value that is being read
  State state_;
};

/// A loop over the members of an object, which may be in any order but are found fastest in the
/// declared order.
class JsonObject {
 public:
  /// `names` are constants, at most 64, that JSON writes without escapes. `required` has the bit of
  /// each member that must not be missing.
  template <std::size_t kCount>
    requires(kCount <= 64)
  JsonObject(JsonReader& in, const std::string_view (&names)[kCount], std::uint64_t required)
      : JsonObject(in, {names, kCount}, required, nullptr) {}

  /// Goes to the value of the next member; false after the last one, and when the reader has
  /// failed.
  bool next();
  /// The index of the member whose value is next.
  std::size_t member() const { return member_; }

 protected:
  /// Of 64 further members: those that are required, and those that were there.
  struct MoreMembers {
    std::uint64_t required = 0;
    std::uint64_t seen = 0;
  };

  /// `more` has one element for each 64 members after the first 64.
  JsonObject(JsonReader& in, JsonReader::Names names, std::uint64_t required, MoreMembers* more);

 private:
  /// Notes the member; false if it was there before.
  bool mark();
  bool has_all_required() const;
  bool take_name(std::size_t index);
  bool find_name(std::string_view name);
  bool next_otherwise();

  JsonReader& in_;
  JsonReader::Names names_;
  std::uint64_t required_;
  std::uint64_t seen_ = 0;
  MoreMembers* more_;
  std::size_t member_ = 0;
  bool has_begun_ = false;
};

/// The same for more than 64 members. `required` has a word for each 64 of them.
template <std::size_t kWords>
class WideJsonObject : public JsonObject {
 public:
  template <std::size_t kCount>
    requires(kCount > 64 && (kCount + 63) / 64 == kWords)
  WideJsonObject(JsonReader& in, const std::string_view (&names)[kCount],
                 const std::uint64_t (&required)[kWords])
      : JsonObject(in, {names, kCount}, required[0], more_) {
    for (std::size_t i = 1; i < kWords; ++i) more_[i - 1].required = required[i];
  }
  WideJsonObject(const WideJsonObject&) = delete;
  WideJsonObject& operator=(const WideJsonObject&) = delete;

 private:
  MoreMembers more_[kWords - 1];
};
template <std::size_t kCount, std::size_t kWords>
WideJsonObject(JsonReader& in, const std::string_view (&names)[kCount],
               const std::uint64_t (&required)[kWords]) -> WideJsonObject<kWords>;

}  // namespace fw::detail
