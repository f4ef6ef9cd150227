// Templates that are ready to be rendered: partials and layouts resolved, and each value with the
// escaping that its place in the document needs.
//
//   Library library;
//   library.add(parse_template("hello", "<p>{{name}}</p>", errors));
//   const Program program = library.link("hello", false, errors);
//   const Json values = {{"name", "<Ada>"}};
//   const Data data(values);
//   program.render(out, {.data = {&data.root()}});          // <p>&lt;Ada&gt;</p>
#pragma once

#include <fairway/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "templates/data.hpp"
#include "templates/html_context.hpp"
#include "templates/template.hpp"

namespace fw::templates {

/// The parts of a document that are not in its template.
enum class Slot : std::uint8_t { head, body, scripts };
inline constexpr std::array<std::string_view, 3> kSlotNames = {"head", "body", "scripts"};

/// The template around all pages.
inline constexpr std::string_view kDocument = "_document";
/// Whether the last part of a template's name begins with an underscore: a layout, a partial or the
/// document, which is no page of its own.
inline bool is_part(std::string_view name) {
  return name.substr(name.rfind('/') + 1).starts_with('_');
}

struct Instruction {
  enum class Kind : std::uint8_t { text, value, section, inverted, call, slot };

  Kind kind = Kind::text;
  Escape escape = Escape::none;
  Slot slot = Slot::body;
  std::size_t end = 0;      ///< of a section: the instruction after it
  std::size_t routine = 0;  ///< of a call
  std::string text = {};
  std::vector<std::string> path = {};
  std::size_t file = 0;  ///< of a value or section: the index of its template in `Program::files`
  Span span = {};        ///< the tag in that template
};

class Program;

/// What is written instead of a slot: text, or a template with data of its own.
struct SlotContent {
  std::string_view text = {};
  const Program* program = nullptr;
  const DataNode* data = nullptr;
};

/// What a program is rendered with.
struct RenderInput {
  /// Where names are looked up, the last one first.
  std::vector<const DataNode*> data;
  std::array<SlotContent, kSlotNames.size()> slots = {};
};

/// Immutable and thread-safe.
class Program {
 public:
  void render(std::string& out, RenderInput input) const;

  /// The first routine, and those that it calls.
  const std::vector<std::vector<Instruction>>& routines() const { return routines_; }
  /// The names of the templates that its instructions come from.
  const std::vector<std::string>& files() const { return files_; }

 private:
  friend class Linker;

  std::vector<std::vector<Instruction>> routines_;
  std::vector<std::string> files_;
};

/// The parsed templates of an application.
class Library {
 public:
  void add(Template parsed) {
    std::string name = parsed.name;
    templates_.insert_or_assign(std::move(name), std::move(parsed));
  }
  /// Null if there is none of that name.
  const Template* find(std::string_view name) const;
  const std::map<std::string, Template, std::less<>>& all() const { return templates_; }

  /// `is_document`: the template has the slots `{{{head}}}`, `{{{body}}}` and `{{{scripts}}}`.
  /// Appends the errors of this template and of those that it includes.
  Program link(std::string_view name, bool is_document, std::vector<Error>& errors) const;

 private:
  std::map<std::string, Template, std::less<>> templates_;
};

/// Appends a value as `escape` says. Strings are written without quotes, null is written as
/// nothing, and objects and arrays as JSON.
void append_value(std::string& out, const DataNode* value, Escape escape);
void append_value(std::string& out, const Json& value, Escape escape);
/// The same for a string.
void append_text(std::string& out, std::string_view text, Escape escape);

/// A text with values of the data, which are not escaped: "{{name}} – Shop". Throws
/// std::invalid_argument for other tags and for errors of syntax.
std::string fill_text(const std::string& text, const Data& data);

}  // namespace fw::templates
