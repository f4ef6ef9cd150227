#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "emit/application_files.hpp"
#include "emit/source_parts.hpp"
#include "model/cpp_names.hpp"
#include "schema/fingerprint.hpp"

namespace fairway::emit {
namespace {

using model::Application;
using model::CppType;
using model::GeneratedType;
using model::TypeCode;
using model::TypeMember;
using model::UsedType;

/// An identifier for a type, which depends on its name and the route file that defines it only.
std::string id_of(const std::string& name, const std::string& file) {
  return fmt::format(
      "{:016x}", fw::schema::fingerprint(file.empty() ? name : fmt::format("{} {}", file, name)));
}
std::string id_of(const TypeCode& code) { return id_of(code.type.name, code.file); }
std::string id_of(const GeneratedType& type) { return id_of(type.name, ""); }
std::string id_of(const UsedType& used) { return id_of(used.use.name, used.file); }

std::string names_array(const CppType& type) {
  constexpr std::size_t kMaxLine = 60;
  std::string names;
  std::size_t line = 0;
  for (const TypeMember& member : type.members) {
    const std::string name = string_literal(member.json_name);
    if (!names.empty()) names += line + name.size() > kMaxLine ? ",\n    " : ", ";
    line = names.find('\n') == std::string::npos ? names.size() : names.size() - names.rfind('\n');
    names += name;
  }
  // C++ has no empty arrays.
  if (names.empty()) names = "\"\"";
  const char* const separator = names.find('\n') == std::string::npos ? "" : "\n    ";
  return fmt::format("static constexpr std::string_view kMembers[] = {{{}{}}};\n", separator,
                     names);
}

/// The members with only one value, which distinguish the alternatives of a variant.
std::string literals_array(const CppType& type) {
  std::string rows;
  for (const TypeMember& member : type.members) {
    if (member.literal.empty()) continue;
    rows += fmt::format("{{{}, {}}},\n", string_literal(member.json_name),
                        string_literal(member.literal));
  }
  if (rows.empty()) return {};
  return fill(R"(
static constexpr fw::detail::LiteralMember kLiterals[] = {
    $rows$
};
)",
              {{"rows", rows}});
}

/// Members that JSON input must have, as sets of 64 bits.
std::vector<std::string> required_bits(const CppType& type) {
  constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words(std::max<std::size_t>(1, (type.members.size() + 63) / kBits));
  for (std::size_t i = 0; i < type.members.size(); ++i) {
    if (type.members[i].required) words[i / kBits] |= std::uint64_t{1} << (i % kBits);
  }
  std::vector<std::string> texts;
  for (const std::uint64_t word : words) texts.push_back(fmt::format("{:#x}", word));
  return texts;
}

std::string json_reader(const CppType& type) {
  std::string cases;
  for (std::size_t i = 0; i < type.members.size(); ++i) {
    const TypeMember& member = type.members[i];
    // Members that the input lacks have the values of their own type.
    const std::string reset =
        member.is_reset ? fmt::format("  out.{0} = decltype(out.{0})();\n", member.name) : "";
    cases += fmt::format("case {}:\n{}  fw::detail::read_member(in, out.{});\n  break;\n", i, reset,
                         member.name);
  }
  const std::vector<std::string> words = required_bits(type);
  const bool is_wide = words.size() > 1;
  std::string members = names_array(type);
  if (is_wide) {
    members += fmt::format("static constexpr std::uint64_t kRequired[] = {{{}}};\n",
                           fmt::join(words, ", "));
  }
  return fill(
      R"(
static void read(fw::detail::JsonReader& in, T&$out$) {
  $members$
  for (fw::detail::$object$ object(in, kMembers, $required$); object.next();) {
    switch (object.member()) {
      $cases$
    }
  }
}
)",
      {{"members", members},
       {"object", is_wide ? "WideJsonObject" : "JsonObject"},
       {"required", is_wide ? "kRequired" : words.front()},
       {"out", type.members.empty() ? "" : " out"},
       {"cases", cases}});
}

std::string field_reader(const CppType& type) {
  std::string reads;
  for (const TypeMember& member : type.members) {
    reads += fmt::format("if (in.{}({})) fw::detail::read_member(in, out.{});\n",
                         member.required ? "require" : "find", string_literal(member.json_name),
                         member.name);
  }
  const bool is_empty = type.members.empty();
  return fill(R"(
static void read(fw::detail::FieldReader&$in$, T&$out$) {
  $reads$
}
)",
              {{"in", is_empty ? "" : " in"}, {"out", is_empty ? "" : " out"}, {"reads", reads}});
}

std::string writer(const CppType& type) {
  std::string writes;
  std::string before = "{";  // what separates the member from what is before it
  for (const TypeMember& member : type.members) {
    const std::string name = string_literal(member.json_name) + ":";
    if (before == "{" && member.is_left_out) {
      writes += "out.raw(\"{\");\n";
      before.clear();  // from here on, the generated code finds out whether a comma is needed
    }
    const std::string write_name = before.empty()
                                       ? fmt::format("out.member({});", raw_literal(name))
                                       : fmt::format("out.raw({});", raw_literal(before + name));
    if (member.is_left_out) {
      writes += fmt::format(
          "if (value.{0}) {{\n  {1}\n  fw::detail::write_member(out, *value.{0});\n}}\n",
          member.name, write_name);
    } else {
      writes +=
          fmt::format("{}\nfw::detail::write_member(out, value.{});\n", write_name, member.name);
      before = ",";
    }
  }
  if (type.members.empty()) writes = "out.raw(\"{\");\n";
  return fill(R"(
static void write(fw::detail::JsonWriter& out, const T& $value$) {
  $writes$
  out.raw("}");
}
)",
              {{"value", type.members.empty() ? "" : "value"}, {"writes", writes}});
}

std::string enumeration(const CppType& type) {
  std::string rows;
  for (const TypeMember& member : type.members) {
    rows += fmt::format("{{{}, T::{}}},\n", string_literal(member.json_name), member.name);
  }
  return fill(R"(
static constexpr fw::detail::EnumName<T> kValues[] = {
    $rows$
};
)",
              {{"rows", rows}});
}

/// Code that several generated headers and types.cpp may contain: one source file may include them.
std::string once(const std::string& id, const std::string& code, const Application& application) {
  const std::string prefix = application.name.empty() ? "" : application.name + "_";
  return fill(R"(
#ifndef fairway_code_$prefix$$id$
#define fairway_code_$prefix$$id$
$code$
#endif
)",
              {{"prefix", prefix}, {"id", id}, {"code", code}});
}

/// The code of a generated enumeration.
std::string code_template(const GeneratedType& enumeration, const Application& application) {
  std::string rows;
  for (const std::string& name : enumeration.enumerators) {
    rows += fmt::format("{{to_string(T::{0}), T::{0}}},\n", name);
  }
  const std::string code = fill(
      R"(
/// $name$
template <class T>
struct Code_$id$ {
  static constexpr fw::detail::EnumName<T> kValues[] = {
      $rows$
  };
};
)",
      {{"name", comment_text(enumeration.name)}, {"id", id_of(enumeration)}, {"rows", rows}});
  return once(id_of(enumeration), code, application);
}

/// The code of a type as a template, so that it may precede the definition of the type.
std::string code_template(const TypeCode& code, const Application& application) {
  const CppType& type = code.type;
  std::vector<std::string> functions;
  if (type.is_enumeration) {
    functions.push_back(enumeration(type));
  } else {
    functions.push_back(literals_array(type));
    if (code.is_input) functions.push_back(json_reader(type));
    if (code.is_input && type.is_flat) functions.push_back(field_reader(type));
    functions.push_back(writer(type));
  }
  const std::string text = fill(
      R"(
/// $name$
template <class T>
struct Code_$id$ {
  $functions$
};
)",
      {{"name", comment_text(type.name)}, {"id", id_of(code)}, {"functions", joined(functions)}});
  return code.file.empty() ? once(id_of(code), text, application) : text;
}

/// The namespace of the templates.
std::string space_of(const Application& application) {
  return "fairway_code" + (application.name.empty() ? "" : "::" + application.name);
}

std::string specialisation(const std::string& type, const std::string& id,
                           const Application& application) {
  return fmt::format("template <> struct fw::detail::TypeCode<{0}> : {1}::Code_{2}<{0}> {{}};\n",
                     type, space_of(application), id);
}

std::string specialisation(const TypeCode& code, const Application& application) {
  const CppType& type = code.type;
  std::string text = specialisation(type.name, id_of(code), application);
  if (type.size == 0) return text;
  const std::string shown = type.name.substr(type.name.starts_with("::") ? 2 : 0);
  text += fmt::format("static_assert(sizeof(void*) != 8 || sizeof({}) == {}, {});\n", type.name,
                      type.size,
                      string_literal(fmt::format(
                          "'{}' has other members here than in the route file that uses it: a "
                          "macro, or an earlier include, changes its header",
                          shown)));
  return text;
}

/// JSON text as literals that are short enough for every compiler.
std::string schema_array(const UsedType& used) {
  constexpr std::size_t kMaxPart = 16384;
  std::string parts;
  for (std::string_view rest = used.use.schema; !rest.empty();) {
    const std::string_view part = rest.substr(0, kMaxPart);
    parts += raw_literal(part) + ",\n";
    rest.remove_prefix(part.size());
  }
  return fill(R"(
inline constexpr std::string_view kSchema_$id$[] = {
    $parts$
};
)",
              {{"id", id_of(used)}, {"parts", parts}});
}

std::string row_text(const UsedType& used, const Application& application) {
  const model::TypeUse& use = used.use;
  const std::string name = type_row_name(used, application);
  const std::string shown =
      string_literal(use.name.starts_with("::") ? use.name.substr(2) : use.name);
  if (!use.schema.empty() && !use.is_readable) {
    return fill(R"(
extern const fw::detail::TypeRow $row$;
constinit const fw::detail::TypeRow $row$ = [] { fw::detail::TypeRow row = fw::detail::nested_type_row<$type$>($shown$); row.schema = $space$::kSchema_$id$; return row; }();
)",
                {{"row", name},
                 {"type", use.name},
                 {"shown", shown},
                 {"space", space_of(application)},
                 {"id", id_of(used)}});
  }
  const std::string row = use.schema.empty()
                              ? fmt::format("nested_type_row<{}>({})", use.name, shown)
                              : fmt::format("type_row<{}>({}, {}::kSchema_{})", use.name, shown,
                                            space_of(application), id_of(used));
  return fmt::format(
      "extern const fw::detail::TypeRow {0};\n"
      "constinit const fw::detail::TypeRow {0} = fw::detail::{1};\n",
      name, row);
}

/// The types of one source file: a route file, or all headers.
struct Part {
  std::vector<const TypeCode*> types;
  std::vector<const UsedType*> uses;
  std::map<std::string, GeneratedType> generated;  ///< in these types, by name

  bool is_empty() const { return types.empty() && uses.empty(); }
};

/// The types in the types of a part: types of a route file may contain types of headers.
std::vector<const TypeCode*> with_nested(const Application& application, const std::string& file,
                                         std::vector<const TypeCode*> types) {
  constexpr std::string_view kReference = "\"#/$defs/";
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& schema = types[i]->type.schema;
    for (auto at = schema.find(kReference); at != std::string::npos;
         at = schema.find(kReference, at + 1)) {
      const std::size_t begin = at + kReference.size();
      const std::string component = schema.substr(begin, schema.find('"', begin) - begin);
      const auto code = std::ranges::find_if(application.types, [&](const TypeCode& each) {
        return each.type.component == component && (each.file.empty() || each.file == file);
      });
      const bool is_new =
          code != application.types.end() && std::ranges::find(types, &*code) == types.end();
      if (is_new) types.push_back(&*code);
    }
  }
  return types;
}

/// `file` is the path of a route file; empty: the headers.
Part part_of(const Application& application, const std::string& file) {
  Part part;
  for (const TypeCode& code : application.types) {
    if (code.file == file) part.types.push_back(&code);
  }
  for (const UsedType& used : application.type_uses) {
    if (used.file == file) part.uses.push_back(&used);
  }
  part.types = with_nested(application, file, std::move(part.types));
  const auto add = [&](const std::vector<GeneratedType>& types) {
    for (const GeneratedType& each : types) part.generated.emplace(each.name, each);
  };
  for (const TypeCode* code : part.types) add(code->type.generated);
  for (const UsedType* used : part.uses) add(used->use.generated);
  return part;
}

/// `fw::Json` converts the generated structs.
std::string json_include(const Part& part) {
  const bool has_structs = std::ranges::any_of(
      part.generated, [](const auto& each) { return each.second.enumerators.empty(); });
  return has_structs ? "#include <fairway/json.hpp>\n" : "";
}

/// Code that uses members and types which may be [[deprecated]].
std::string without_deprecation_warnings(const std::string& code) {
  return fill(R"(
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

$code$

#pragma GCC diagnostic pop
)",
              {{"code", code}});
}

std::string templates_text(const Part& part, const Application& application) {
  std::vector<std::string> blocks;
  for (const auto& [name, type] : part.generated) {
    if (!type.enumerators.empty()) blocks.push_back(code_template(type, application));
  }
  for (const TypeCode* code : part.types) blocks.push_back(code_template(*code, application));
  for (const UsedType* used : part.uses) {
    if (!used->use.schema.empty()) blocks.push_back(schema_array(*used));
  }
  return fill(R"(
namespace $space$ {

$blocks$

}  // namespace $space$
)",
              {{"space", space_of(application)}, {"blocks", joined(blocks)}});
}

/// The code of the types in the templates, and their rows.
std::string specialisations_text(const Part& part, const Application& application) {
  std::string text;
  for (const auto& [name, type] : part.generated) {
    if (!type.enumerators.empty()) text += specialisation(name, id_of(type), application);
  }
  for (const TypeCode* each : part.types) text += specialisation(*each, application);
  return text;
}

std::string rows_text(const Part& part, const Application& application) {
  std::string text;
  for (const UsedType* used : part.uses) text += row_text(*used, application);
  return text;
}

}  // namespace

std::string type_row_name(const UsedType& used, const Application& application) {
  return fmt::format("fairway_type_{}{}", application.name.empty() ? "" : application.name + "_",
                     id_of(used));
}

std::string emit_types(const Application& application) {
  const Part part = part_of(application, "");
  std::set<std::string> headers;
  for (const TypeCode* code : part.types) headers.insert(code->type.header);
  for (const auto& [name, type] : part.generated) {
    headers.insert("include/fairway/routes/" + type.header);
  }
  std::string includes;
  for (const std::string& header : headers) includes += fmt::format("#include \"{}\"\n", header);
  std::string code;
  if (!part.is_empty()) {
    code = without_deprecation_warnings(
        joined({templates_text(part, application), specialisations_text(part, application),
                rows_text(part, application)}));
  }
  return fill(
      R"(
$banner$
#include <fairway/generated/type_code.hpp>
$json$

$includes$

$code$
)",
      {{"banner", banner("//", "The types of the application below " + application.source_name)},
       {"json", json_include(part)},
       {"includes", includes},
       {"code", code}});
}

std::string local_types_text(const Application& application, const model::RouteFile& file) {
  const Part part = part_of(application, file.path);
  if (part.types.empty()) return {};
  const std::string macro = specialisations_text(part, application) + rows_text(part, application);
  std::string lines;
  for (std::string_view rest = macro; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    lines += " \\\n  " + std::string(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return fill(R"(
$json$
$templates$

// FW_EXPORT_DEFAULT expands this macro, because the types are defined before it.
#define $name$_types ~, \
  _Pragma("GCC diagnostic push") \
  _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")$lines$ \
  _Pragma("GCC diagnostic pop")
)",
              {{"json", json_include(part)},
               {"templates", without_deprecation_warnings(templates_text(part, application))},
               {"name", model::export_name(file.path, application.name)},
               {"lines", lines}});
}

}  // namespace fairway::emit
