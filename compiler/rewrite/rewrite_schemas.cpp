#include "rewrite/rewrite_schemas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>
#include <variant>

#include "base/ascii.hpp"
#include "frontend/source/source_tokens.hpp"
#include "model/cpp_names.hpp"
#include "model/value_members.hpp"
#include "rewrite/struct_writer.hpp"

namespace fairway::rewrite {
namespace {

using frontend::SourceToken;
using model::Range;
using model::Value;

/// Replaces the bytes [begin, end) of the text.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

std::string applied(const std::string& text, std::vector<Edit> edits) {
  std::ranges::sort(edits, {}, &Edit::begin);
  std::string result;
  std::size_t copied = 0;
  for (const Edit& edit : edits) {
    result.append(text, copied, edit.begin - copied).append(edit.text);
    copied = edit.end;
  }
  return result.append(text, copied);
}

std::string with_line_ends(std::string_view text, bool is_crlf) {
  std::string result;
  for (const char c : text) {
    if (c == '\r') continue;
    if (c == '\n' && is_crlf) result += '\r';
    result += c;
  }
  return result;
}

std::string_view line_at(const std::string& text, std::size_t begin) {
  return std::string_view(text).substr(begin, text.find('\n', begin) - begin);
}

/// The name of an `#include` with its quotes or brackets; empty for other lines.
std::string_view included_name(std::string_view line) {
  constexpr std::string_view kDirective = "#include ";
  if (!line.starts_with(kDirective)) return {};
  line.remove_prefix(kDirective.size());
  const std::size_t end = line.find_first_of(line.starts_with('<') ? ">" : "\"", 1);
  return line.substr(0, end == line.npos ? 0 : end + 1);
}

bool is_of_standard_library(std::string_view name) {
  return name.starts_with('<') && name.find_first_of("./") == name.npos;
}

/// Adds an include to the others of its kind, in order, or after all.
void add_include(std::string& text, const std::string& name) {
  const bool is_standard = is_of_standard_library(name);
  std::size_t last = 0;      // end of the last include
  std::size_t position = 0;  // after the include of this kind that precedes the name
  std::size_t first = text.npos;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view line = line_at(text, begin);
    const std::size_t end = std::min(begin + line.size() + 1, text.size());
    const std::string_view other = included_name(line);
    if (other == name) return;
    if (!other.empty()) {
      last = end;
      const bool is_same_kind = is_standard ? is_of_standard_library(other) : other[0] == '"';
      if (is_same_kind) {
        first = std::min(first, begin);
        if (other < name) position = end;
      }
    }
    begin = end;
  }
  const std::string line = fmt::format("#include {}\n", name);
  if (first != text.npos) {
    text.insert(position == 0 ? first : position, line);
  } else if (is_standard) {
    // After <fairway/fairway.hpp>, which is the first include.
    const std::size_t framework = text.find("#include <fairway/");
    const std::size_t end = framework == text.npos ? last : text.find('\n', framework) + 1;
    const bool is_followed = end < text.size() && text.find_first_of("\r\n", end) != end;
    text.insert(end, "\n" + line + (is_followed ? "\n" : ""));
  } else {
    text.insert(last, "\n" + line);
  }
}

/// Why the text of a schema is more than a literal schema map; empty if it is one.
std::string reason_against(const std::string& text) {
  constexpr std::array<std::string_view, 7> kNames = {
      "fw", "schema_adapter", "SchemaMap", "array_of", "optional", "compile_field", "description"};
  constexpr std::array<std::string_view, 7> kSigns = {"{", "}", "(", ")", ",", ".", "::"};
  std::size_t end = 0;
  for (const SourceToken& token : frontend::source_tokens(text)) {
    const std::string_view between = std::string_view(text).substr(end, token.begin - end);
    if (between.find('/') != between.npos) return "it contains a comment";
    end = token.end();
    const bool is_known = token.kind == SourceToken::Kind::string ||
                          (token.kind == SourceToken::Kind::name
                               ? std::ranges::find(kNames, token.text) != kNames.end()
                               : std::ranges::find(kSigns, token.text) != kSigns.end());
    if (token.text == "json_schema") return "it contains a JSON Schema";
    if (!is_known) return fmt::format("it is computed, with '{}'", token.text);
  }
  return {};
}

/// Where a schema is in the source.
struct Schema {
  SchemaId id;
  const Value* value = nullptr;
  const fw::schema::Node* node = nullptr;  ///< null: a JSON Schema
  std::string location;                    ///< "body"; empty for responses
  std::string part;                        ///< its generated struct: "Body", "Response201"
  Range range;                             ///< of its name
};

/// A use of a generated name that is replaced.
struct Use {
  const model::GeneratedName* name = nullptr;
  std::optional<std::size_t> parentheses = {};  ///< where `valid<…>()` takes the location
};

class Rewriter {
 public:
  Rewriter(const RouteSource& source, const std::map<SchemaId, std::string>& excluded)
      : source_(source),
        excluded_(excluded),
        text_(with_line_ends(source.text, false)),
        tokens_(frontend::source_tokens(text_)),
        writer_(source.json_names, source.taken) {
    starts_.push_back(0);
    for (std::size_t at = text_.find('\n'); at != text_.npos; at = text_.find('\n', at + 1)) {
      starts_.push_back(at + 1);
    }
    std::set<std::string> taken = source.taken;
    for (const SourceToken& token : tokens_) {
      if (token.kind == SourceToken::Kind::name) taken.emplace(token.text);
    }
    writer_ = StructWriter(source.json_names, std::move(taken));
  }

  RewrittenFile run() {
    for (const Schema& schema : schemas()) {
      std::string reason = rewrite(schema);
      if (!reason.empty()) {
        result_.left_alone.push_back({schema.id, schema.range, std::move(reason)});
      }
    }
    result_.text = source_.text;
    if (result_.schemas.empty()) return std::move(result_);
    result_.structs = writer_.structs().size();
    add_structs();
    std::string text = applied(text_, std::move(edits_));
    for (const std::string& header : writer_.headers()) add_include(text, header);
    add_generated_header(text);
    result_.text = with_line_ends(text, source_.text.find("\r\n") != std::string::npos);
    return std::move(result_);
  }

 private:
  std::size_t offset_of(unsigned line, unsigned column) const {
    return line == 0 || line > starts_.size() ? text_.npos : starts_[line - 1] + column - 1;
  }
  std::string text_at(const Range& range) const {
    const std::size_t begin = offset_of(range.line, range.column);
    return text_.substr(begin, offset_of(range.end_line, range.end_column) - begin);
  }

  std::vector<Schema> schemas() const {
    std::vector<Schema> all;
    const std::size_t count =
        std::min(source_.file.registrations.size(), source_.routes.routes.size());
    for (std::size_t index = 0; index < count; ++index) {
      const auto& options = source_.file.registrations[index].options;
      if (!options) continue;
      const model::Route& route = source_.routes.routes[index];
      if (const Value* validate = model::member_value(*options, "validate")) {
        for (const model::LocationSchema& schema : route.validate) {
          const model::Member* member = model::find_member(*validate, schema.location);
          if (member == nullptr || !schema.type.empty()) continue;
          all.push_back({.id = {index, "validate." + schema.location},
                         .value = &member->value,
                         .node = &schema.schema,
                         .location = schema.location,
                         .part = model::type_name(schema.location),
                         .range = member->name_range});
        }
      }
      const Value* responses = model::member_value(*options, "responses");
      if (responses == nullptr) continue;
      for (const model::ResponseSchema& schema : route.responses) {
        const auto entry = std::ranges::find_if(responses->items, [&](const Value& each) {
          return model::is_named_entry(each) && model::entry_name(each) == schema.selector;
        });
        if (entry == responses->items.end() || !schema.type.empty()) continue;
        const bool is_default = schema.selector == "default";
        all.push_back({.id = {index, "responses." + schema.selector},
                       .value = &entry->items[1],
                       .node = std::get_if<fw::schema::Node>(&schema.schema),
                       .location = {},
                       .part = "Response" + (is_default ? "Default" : schema.selector),
                       .range = entry->items[0].range});
      }
    }
    return all;
  }

  /// Rewrites a schema, or returns why it cannot.
  std::string rewrite(const Schema& schema) {
    if (const auto known = excluded_.find(schema.id); known != excluded_.end()) {
      return known->second;
    }
    if (model::is_events(*schema.value) || model::is_lines(*schema.value)) return "it is a stream";
    if (schema.node == nullptr) return "it is a JSON Schema";
    const Range& range = schema.value->range;
    const Range& whole = source_.file.registrations[schema.id.route].range;
    if (!whole.contains(range)) {
      return fmt::format("it is declared in line {}{}", range.line,
                         range.file == whole.file ? "" : " of '" + range.file + "'");
    }
    if (std::string reason = reason_against(text_at(range)); !reason.empty()) return reason;
    if (schema.node->fields.empty() && !schema.location.empty()) return "it declares no members";
    if (schema.location == "header" && has_capitals(*schema.node)) {
      return "names of header fields in a type must be in lower case";
    }
    if (std::string reason = find_default(*schema.node); !reason.empty()) return reason;
    std::vector<Use> uses;
    if (std::string reason = find_uses(schema, uses); !reason.empty()) return reason;
    std::string type;
    StructWriter attempt = writer_;
    try {
      type = attempt.type_of(*schema.node, source_.route_types[schema.id.route] + schema.part);
    } catch (const NotWritable& error) {
      return error.what();
    }
    writer_ = std::move(attempt);
    replace(range, fmt::format("fw::type<{}>", type));
    for (const Use& use : uses) {
      replace(use.name->range, type);
      if (use.parentheses) {
        edits_.push_back({*use.parentheses, *use.parentheses, "fw::Location::" + schema.location});
      }
    }
    result_.schemas.push_back({schema.id, !uses.empty()});
    return {};
  }

  static bool has_capitals(const fw::schema::Node& object) {
    return std::ranges::any_of(object.fields, [](const fw::schema::Field& field) {
      return fw::base::lower_case(field.name) != field.name;
    });
  }

  /// The default in `body.note.value_or("")` would become an fw::Field, which checks it.
  std::string find_default(const fw::schema::Node& node) const {
    if (node.items) return find_default(*node.items);
    for (const auto& [name, member] : node.fields) {
      const std::string member_name = model::cpp_name(name);
      const bool has_default = !member.is_always_there() && has_rules(member);
      for (std::size_t i = 0; has_default && i + 2 < tokens_.size(); ++i) {
        if (tokens_[i].text == member_name && tokens_[i + 1].text == "." &&
            tokens_[i + 2].text == "value_or") {
          return fmt::format("'{}.value_or' would apply its rules to the default", member_name);
        }
      }
      if (std::string reason = find_default(member); !reason.empty()) return reason;
    }
    return {};
  }

  /// The uses of the generated struct of a schema. Returns why they cannot be replaced.
  std::string find_uses(const Schema& schema, std::vector<Use>& uses) const {
    const std::string& route = source_.route_types[schema.id.route];
    std::string space = model::namespace_of(source_.file.path) + "::" + route;
    for (const model::GeneratedName& name : source_.file.generated_names) {
      const std::string written = fmt::format("{}", fmt::join(name.parts, "::"));
      if (written == space) return fmt::format("'{}' is named in line {}", space, name.range.line);
      if (!(written + "::").starts_with(space + "::" + schema.part + "::")) continue;
      if (name.in_macro || name.range.file != source_.file.display_path) {
        return fmt::format("'{}' is named in line {} of '{}'", written, name.range.line,
                           name.range.file);
      }
      if (written != space + "::" + schema.part) {
        return fmt::format("'{}' is named in line {}", written, name.range.line);
      }
      Use use{.name = &name};
      if (name.in_valid) {
        const std::size_t end = offset_of(name.range.end_line, name.range.end_column);
        const auto next = std::ranges::find_if(
            tokens_, [end](const SourceToken& token) { return token.begin >= end; });
        if (tokens_.end() - next < 3 || next[0].text != ">" || next[1].text != "(" ||
            next[2].text != ")") {
          return fmt::format("'req.valid' has another form in line {}", name.range.line);
        }
        use.parentheses = next[1].end();
      }
      uses.push_back(use);
    }
    for (const auto& [path, text] : source_.users) {
      const auto tokens = frontend::source_tokens(text);
      if (std::ranges::find(tokens, std::string_view(route), &SourceToken::text) != tokens.end()) {
        return fmt::format("'{}' uses the generated types of the route", path);
      }
    }
    return {};
  }

  void replace(const Range& range, std::string text) {
    edits_.push_back({offset_of(range.line, range.column),
                      offset_of(range.end_line, range.end_column), std::move(text)});
  }

  /// Adds the structs after the includes, to the anonymous namespace if one begins there.
  void add_structs() {
    std::size_t end = 0;  // of the directives at the beginning of the file
    std::size_t next = 0;
    int conditions = 0;
    for (; next < tokens_.size() && tokens_[next].text == "#";) {
      std::size_t line_end = std::min(text_.find('\n', tokens_[next].begin), text_.size());
      while (line_end < text_.size() && text_[line_end - 1] == '\\') {
        line_end = std::min(text_.find('\n', line_end + 1), text_.size());
      }
      const std::string_view directive = next + 1 < tokens_.size() ? tokens_[next + 1].text : "";
      if (directive.starts_with("if")) ++conditions;
      if (directive == "endif") --conditions;
      if (conditions == 0) end = line_end;
      while (next < tokens_.size() && tokens_[next].begin < line_end) ++next;
    }
    std::string structs;
    for (const std::string& each : writer_.structs()) structs += "\n" + each;
    const bool is_in_namespace = conditions == 0 && next + 1 < tokens_.size() &&
                                 tokens_[next].text == "namespace" && tokens_[next + 1].text == "{";
    if (is_in_namespace) {
      const std::size_t begin = tokens_[next + 1].end();
      structs.pop_back();
      edits_.push_back({begin, begin, "\n" + structs});
    } else {
      edits_.push_back({end, end, fmt::format("\n\nnamespace {{\n{}\n}}  // namespace", structs)});
    }
  }

  /// The code of the structs is in the generated header of the file.
  void add_generated_header(std::string& text) const {
    const std::string header = model::included_routes_header(source_.file.path);
    const bool is_included =
        std::ranges::any_of(source_.file.generated_includes, [&](const auto& include) {
          return include.name == header || include.name == "fairway/routes/" + header;
        });
    if (!is_included) add_include(text, "\"" + header + "\"");
  }

  const RouteSource& source_;
  const std::map<SchemaId, std::string>& excluded_;
  std::string text_;  ///< with `\n` as line ends
  std::vector<SourceToken> tokens_;
  std::vector<std::size_t> starts_;  ///< of lines
  StructWriter writer_;
  std::vector<Edit> edits_;
  RewrittenFile result_;
};

}  // namespace

RewrittenFile rewrite_schemas(const RouteSource& source,
                              const std::map<SchemaId, std::string>& excluded) {
  return Rewriter(source, excluded).run();
}

}  // namespace fairway::rewrite
