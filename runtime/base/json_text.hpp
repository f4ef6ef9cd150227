// JSON values as text, where bytes that are not UTF-8 become U+FFFD; steps of JSON pointers; the
// end of JSON trees.
#pragma once

#include <fairway/json.hpp>

#include <string>
#include <string_view>

namespace fw::base {

/// Appends the value as compact text, the same as nlohmann's `dump` makes.
void append_json(std::string& out, const Json& value);

/// The value as compact text.
std::string to_json_text(const Json& value);

/// Appends `text` as a JSON string with its quotation marks.
void append_json_text(std::string& out, std::string_view text);

/// A member's name as a step of a JSON pointer (RFC 6901): "/a~1b" of "a/b".
std::string pointer_step(std::string_view name);

/// Empties a tree from its leaves up, which takes half the time of nlohmann's destructor: that
/// moves every value to a heap-allocated list first, lest deep trees exhaust the stack. Levels
/// below `deepest` are left to it.
void destroy_iteratively(Json& value, int deepest = 64) noexcept;

}  // namespace fw::base
