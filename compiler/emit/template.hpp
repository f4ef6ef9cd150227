// Text with named holes, so that a generator looks like what it generates:
//
//   fill("struct $name$ {\n  $members$\n};\n", {{"name", "Body"}, {"members", "int a;\nint b;"}})
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace fairway::emit {

/// Replaces each `$hole$`. A line end at the very start of `text` is dropped, for raw strings.
/// Lines of a value after its first are indented as far as the hole's line; a line that holds
/// nothing but a hole whose value is empty is left out, and a value's last line end is dropped.
/// `$$` is a dollar sign. Throws std::logic_error for a hole that has no value.
std::string fill(std::string_view text,
                 std::initializer_list<std::pair<std::string_view, std::string>> values);

}  // namespace fairway::emit
