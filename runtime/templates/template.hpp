// Templates as trees: the parser of the mustache language (docs/pages.md). The route compiler and
// the runtime both use it, so that they agree on what a template means.
//
//   std::vector<Error> errors;
//   const Template page = parse_template("products", "<h1>{{title}}</h1>", errors);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fw::templates {

/// A part of a template's source.
struct Span {
  std::size_t offset = 0;
  std::size_t length = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

enum class ErrorKind : std::uint8_t {
  syntax,  ///< the template cannot be read, or refers to one that does not exist
  unsafe,  ///< a value is where it cannot be escaped
};

struct Error {
  ErrorKind kind = ErrorKind::syntax;
  std::string name;  ///< of the template
  Span span;
  std::string message;  ///< lower case, no final period
  std::string help;     ///< what to write instead; may be empty
};

struct Node {
  enum class Kind : std::uint8_t {
    text,
    value,     ///< {{name}}
    section,   ///< {{#name}}…{{/name}}
    inverted,  ///< {{^name}}…{{/name}}
    partial,   ///< {{> name}}
    parent,    ///< {{< name}}…{{/name}}: a layout with blocks
    block,     ///< {{$name}}…{{/name}}
  };

  Kind kind = Kind::text;
  std::string text;                    ///< literal text, or the name in the tag
  std::vector<std::string> path = {};  ///< of a value or section: {"user", "name"}; empty for "."
  bool is_raw = false;                 ///< a value that is not escaped: {{{name}}}, {{&name}}
  Span span = {};                      ///< the text, or the tag
  std::vector<Node> children = {};
};

/// A parsed template. `name` is its path below the directory of the pages, without ending.
struct Template {
  std::string name;
  std::string source;
  std::vector<Node> nodes;
};

/// Appends the errors; the tree is then incomplete.
Template parse_template(std::string name, std::string source, std::vector<Error>& errors);

/// Line and column of an offset, both from 1; columns count bytes.
struct LineColumn {
  std::size_t line = 1;
  std::size_t column = 1;
};
LineColumn line_column(std::string_view source, std::size_t offset);

}  // namespace fw::templates
