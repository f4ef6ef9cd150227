// Parts that generated C++ files share.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/generated_note.hpp"
#include "model/application.hpp"

namespace fairway::emit {

/// `text` as an escaped literal in quotes.
std::string string_literal(std::string_view text);

/// The same as a raw literal if `text` would need escapes otherwise.
std::string raw_literal(std::string_view text);

/// The attribute of a generated type with its schema, followed by a space: for the front end only.
/// Empty for a schema with other keywords than the schemas of types.
std::string schema_attribute(const model::Json& schema);

/// The text for a `//` comment in C++ or TypeScript, in one line that no character can continue.
std::string comment_text(std::string_view text);

/// Two comment lines: the subject of the file, and a note that it is generated.
inline std::string banner(std::string_view comment, std::string_view subject) {
  std::string text;
  text.append(comment).append(" ").append(comment_text(subject)).append(".\n");
  text.append(comment)
      .append(" ")
      .append(files::kGeneratedNote)
      .append(": changes made here are lost.\n");
  return text;
}

/// The blocks that are not empty, separated by empty lines.
inline std::string joined(std::span<const std::string> blocks) {
  std::string text;
  for (const std::string& block : blocks) {
    if (block.empty()) continue;
    if (!text.empty()) text += '\n';
    text += block;
  }
  return text;
}
inline std::string joined(std::initializer_list<std::string> blocks) {
  return joined(std::vector<std::string>(blocks));
}

/// Appends a block in the same way.
inline void append_block(std::string& text, std::string_view block) {
  if (block.empty()) return;
  if (!text.empty()) text += '\n';
  text += block;
}

/// "using Item = int;" as a line.
inline std::string alias(const std::string& name, const std::string& type) {
  return "using " + name + " = " + type + ";\n";
}

// Text with named holes, so that a generator looks like what it generates:
// fill("struct $name$ {\n  $members$\n};\n", {{"name", "Body"}, {"members", "int a;\nint b;"}})

/// Replaces each `$hole$`. A line end at the very start of `text` is dropped, for raw strings.
/// Further lines of a value get the indentation of the line with the hole. A line that consists of
/// a hole with an empty value is omitted, and the last line end of a value is dropped. `$$` is a
/// dollar sign. Throws std::logic_error for a hole without a value.
std::string fill(std::string_view text,
                 std::initializer_list<std::pair<std::string_view, std::string>> values);

}  // namespace fairway::emit
