// JSON functions: serialization, in which bytes that are not UTF-8 become U+FFFD, steps of JSON
// pointers, and the memory and the destruction of values.
#pragma once

#include <fairway/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/word_scan.hpp"

namespace fw::base {

/// Not zero if a byte is one that a JSON string escapes, or above 0x7F. For a word or `TwoWords`.
template <class Word>
constexpr Word mark_not_plain(Word word) {
  // As by `mark_below` and `mark_equal`, without their masks, because bytes above 0x7F count, too.
  const Word below_space = word - eight_of(' ');
  const Word quotation_mark = (word ^ eight_of('"')) - eight_of(1);
  const Word backslash = (word ^ eight_of('\\')) - eight_of(1);
  return (word | below_space | quotation_mark | backslash) & eight_of(0x80);
}

/// Appends the value as compact text.
void append_json(std::string& out, const Json& value);

/// The value as compact text.
std::string to_json_text(const Json& value);

/// Appends `text` as a JSON string with its quotation marks.
void append_json_text(std::string& out, std::string_view text);

/// The approximate memory of a value, its containers and strings.
std::size_t memory_of(const Json& value);

/// A member name as a step of a JSON pointer (RFC 6901): "/a~1b" for "a/b".
std::string pointer_step(std::string_view name);

/// Destroys a value from its leaves up in half the time of nlohmann's destructor, which first moves
/// all values to a list, so that deep values do not exhaust the stack. Levels below `deepest` are
/// left to that destructor.
void destroy_iteratively(Json& value, int deepest = 64) noexcept;

}  // namespace fw::base
