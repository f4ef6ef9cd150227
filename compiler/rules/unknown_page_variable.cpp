// [unknown-page-variable]
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/suggest.hpp"
#include "resolve/page_library.hpp"
#include "rules/application_rules.hpp"
#include "rules/located_route.hpp"
#include "schema/output_compiler.hpp"

namespace fairway::rules {
namespace {

namespace templates = fw::templates;
using fw::schema::OutputNode;
using fw::schema::OutputType;
using templates::Instruction;

/// What a value can be: one of these schemas. None: it is never there.
using Shapes = std::set<const OutputNode*>;

/// The schema of any value.
const OutputNode kAnything;

/// The shapes of a member. A member that may be absent is looked up in the enclosing objects, too.
struct Lookup {
  Shapes shapes;
  bool is_certain = true;
};

bool may_be(const OutputNode& shape, OutputType type) {
  return shape.types.empty() || std::ranges::find(shape.types, type) != shape.types.end();
}

/// The shapes without alternatives and conditions.
Shapes plain_shapes(const Shapes& shapes) {
  Shapes plain;
  Shapes seen;
  std::vector<const OutputNode*> rest(shapes.begin(), shapes.end());
  while (!rest.empty()) {
    const OutputNode* shape = rest.back();
    rest.pop_back();
    if (shape->is_false || !seen.insert(shape).second) continue;
    if (!shape->alternatives.empty()) {
      rest.insert(rest.end(), shape->alternatives.begin(), shape->alternatives.end());
    } else if (shape->condition != nullptr) {
      rest.insert(rest.end(), {shape->when_true, shape->when_false});
    } else {
      plain.insert(shape);
    }
  }
  return plain;
}

Lookup member_of(const Shapes& shapes, const std::string& name) {
  Lookup found;
  for (const OutputNode* shape : plain_shapes(shapes)) {
    if (shape->types != std::vector{OutputType::object}) found.is_certain = false;
    if (!may_be(*shape, OutputType::object)) continue;
    const auto member = std::ranges::find(shape->members, name, &fw::schema::OutputMember::name);
    if (member != shape->members.end()) {
      found.shapes.insert(member->node);
      if (!member->required) found.is_certain = false;
      continue;
    }
    found.is_certain = false;
    bool matches = false;
    for (const auto& each : shape->patterns) {
      if (!each.pattern.matches(name)) continue;
      found.shapes.insert(each.node);
      matches = true;
    }
    if (matches || shape->is_closed) continue;
    found.shapes.insert(shape->additional != nullptr ? shape->additional : &kAnything);
  }
  return found;
}

/// What a section is rendered with: the items of an array, or the value.
Shapes inside_section(const Shapes& shapes) {
  Shapes inner;
  for (const OutputNode* shape : plain_shapes(shapes)) {
    if (shape->types != std::vector{OutputType::array}) inner.insert(shape);
    if (!may_be(*shape, OutputType::array)) continue;
    inner.insert(shape->prefix.begin(), shape->prefix.end());
    if (shape->items != nullptr) {
      inner.insert(shape->items);
    } else if (!shape->types.empty() && shape->prefix.empty()) {
      inner.insert(&kAnything);
    }
  }
  return inner;
}

std::set<std::string_view> member_names(const Shapes& shapes) {
  std::set<std::string_view> names;
  for (const OutputNode* shape : plain_shapes(shapes)) {
    for (const auto& member : shape->members) names.insert(member.name);
  }
  return names;
}

/// Shapes that names are looked up in, the innermost ones last.
using Scope = std::vector<Shapes>;

Scope within(Scope scope, Shapes shapes) {
  // The outer one of two equal scopes is never reached. Without it, templates that include
  // themselves have finitely many scopes.
  std::erase(scope, shapes);
  scope.push_back(std::move(shapes));
  return scope;
}

/// A name in a tag that the data cannot have.
struct Unknown {
  std::size_t part = 0;                      ///< of the name: 1 for 'b' in 'a.b'
  std::vector<std::string_view> candidates;  ///< names that are known there
  std::string inner;                         ///< "a.b" for the name 'b', if 'a' has it
};

/// The shapes of the value in a tag, or the part of its name that is unknown.
std::variant<Shapes, Unknown> resolve_name(const Scope& scope,
                                           const std::vector<std::string>& path) {
  if (path.empty()) return scope.back();
  Shapes shapes;
  for (auto frame = scope.rbegin(); frame != scope.rend(); ++frame) {
    Lookup found = member_of(*frame, path.front());
    shapes.merge(found.shapes);
    if (found.is_certain) break;
  }
  Unknown unknown;
  if (shapes.empty()) {
    std::set<std::string_view> names;
    for (const Shapes& frame : scope) {
      for (const std::string_view name : member_names(frame)) {
        names.insert(name);
        const Lookup member = member_of(frame, std::string(name));
        if (member_names(member.shapes).contains(path.front())) {
          unknown.inner = fmt::format("{}.{}", name, path.front());
        }
      }
    }
    unknown.candidates.assign(names.begin(), names.end());
    return unknown;
  }
  for (unknown.part = 1; unknown.part < path.size(); ++unknown.part) {
    Lookup found = member_of(shapes, path[unknown.part]);
    if (found.shapes.empty()) {
      const auto names = member_names(shapes);
      unknown.candidates.assign(names.begin(), names.end());
      return unknown;
    }
    shapes = std::move(found.shapes);
  }
  return shapes;
}

/// Visits the values and sections of a page in every scope that they are rendered in.
template <class Visit>
class Walk {
 public:
  Walk(const templates::Program& program, Visit visit) : program_(program), visit_(visit) {}

  void run(const Scope& scope, std::size_t routine = 0) {
    if (!seen_.emplace(routine, scope).second) return;
    const auto& code = program_.routines()[routine];
    run(scope, code, 0, code.size());
  }

 private:
  void run(const Scope& scope, const std::vector<Instruction>& code, std::size_t at,
           std::size_t end) {
    while (at < end) {
      const Instruction& step = code[at];
      if (step.kind == Instruction::Kind::call) run(scope, step.routine);
      const bool is_section = step.kind == Instruction::Kind::section;
      const bool is_inverted = step.kind == Instruction::Kind::inverted;
      if (is_section || is_inverted || step.kind == Instruction::Kind::value) {
        auto found = resolve_name(scope, step.path);
        visit_(step, found);
        // What follows from an unknown name is no news.
        auto* shapes = std::get_if<Shapes>(&found);
        if (is_section && shapes != nullptr) {
          run(within(scope, inside_section(*shapes)), code, at + 1, step.end);
        } else if (is_inverted) {
          run(scope, code, at + 1, step.end);
        }
      }
      at = is_section || is_inverted ? step.end : at + 1;
    }
  }

  const templates::Program& program_;
  Visit visit_;
  std::set<std::pair<std::size_t, Scope>> seen_;
};

/// A JSON Schema that describes exactly these values.
model::Json schema_of(const model::Json& value) {
  if (value.is_object()) {
    model::Json members = model::Json::object();
    model::Json names = model::Json::array();
    for (const auto& [name, member] : value.items()) {
      members[name] = schema_of(member);
      names.push_back(name);
    }
    return {{"type", "object"},
            {"properties", std::move(members)},
            {"required", std::move(names)},
            {"additionalProperties", false}};
  }
  if (value.is_array()) {
    model::Json items = model::Json::array();
    for (const model::Json& item : value) {
      model::Json schema = schema_of(item);
      if (std::ranges::find(items, schema) == items.end()) items.push_back(std::move(schema));
    }
    return {{"type", "array"}, {"items", {{"anyOf", std::move(items)}}}};
  }
  return {{"type", model::Json::array({"null", "boolean", "number", "string"})}};
}

/// The data of a static page.
model::Json static_data(const model::Json& frontend) {
  model::Json each = {{"params", schema_of(model::Json::object())}};
  const auto list = frontend.find("staticParams");
  if (list != frontend.end() && list->is_array()) each["params"] = schema_of(*list)["items"];
  return {{"type", "object"},
          {"properties", std::move(each)},
          {"required", model::Json::array({"params"})},
          {"additionalProperties", false}};
}

nlohmann::json json_schema_of(const model::Schema& schema) {
  if (const auto* node = std::get_if<fw::schema::Node>(&schema)) {
    return fw::schema::to_json_schema(*node);
  }
  const auto* type = std::get_if<model::TypeSchema>(&schema);
  return type != nullptr ? type->json : std::get<model::Json>(schema);
}

/// The schema of what a route renders its pages with.
class PageData {
 public:
  explicit PageData(const model::Route& route) {
    const auto frontend = route.options.find("frontend");
    const bool has_options = frontend != route.options.end();
    if (has_options && frontend->value("clientOnly", false)) return;  // renders nothing here
    if (has_options && frontend->value("mode", std::string()) == "static") {
      declare(static_data(*frontend), "frontend.static_params", route.page_data_range);
    } else if (route.page_data) {
      declare(json_schema_of(*route.page_data), "frontend.data", route.page_data_range);
    }
  }

  Scope scope() const { return {Shapes{root_}}; }
  /// The option that declares it, and where.
  std::string_view source() const { return source_; }
  const model::Range& range() const { return range_; }

 private:
  void declare(const nlohmann::json& schema, std::string_view source, const model::Range& range) {
    source_ = source;
    range_ = range;
    try {
      root_ = fw::schema::OutputCompiler(schema, nodes_).compile(schema);
    } catch (const std::exception&) {
      // An invalid schema is reported by other rules.
    }
  }

  std::deque<OutputNode> nodes_;
  const OutputNode* root_ = &kAnything;
  std::string_view source_;
  model::Range range_;
};

class VariableCheck {
 public:
  VariableCheck(const resolve::PageLibrary& pages, model::Diagnostics& diagnostics)
      : pages_(pages), diagnostics_(diagnostics) {}

  /// `route` may be null for data that can be anything.
  void check(const std::string& page, const model::Route* route, const PageData& data) {
    std::vector<templates::Error> ignored;  // reported by other rules
    const templates::Program program =
        pages_.templates().link(page, page == templates::kDocument, ignored);
    Walk walk(program, [&](const Instruction& step, const auto& found) {
      const std::string& file = program.files()[step.file];
      const Tag tag{file, step.span.offset};
      const auto* unknown = std::get_if<Unknown>(&found);
      if (unknown == nullptr) {
        if (file != page) known_in_parts_.insert(tag);
      } else if (file == page) {
        add(diagnostics_, file, step, *unknown, *route, data);
      } else if (!in_parts_.contains(tag)) {
        add(in_parts_[tag], file, step, *unknown, *route, data);
      }
    });
    walk.run(data.scope());
  }

  /// The strings in the metadata of a static page may contain values.
  void check_metadata(const model::Route& route, const PageData& data) {
    const auto frontend = route.options.find("frontend");
    if (frontend == route.options.end() || frontend->value("mode", "") != "static") return;
    check_metadata(route, data, frontend->value("seo", model::Json()));
  }

  /// A part may use names that only some of its pages have.
  void report_parts() {
    for (auto& [tag, errors] : in_parts_) {
      if (known_in_parts_.contains(tag)) continue;
      std::ranges::move(errors, std::back_inserter(diagnostics_));
    }
  }

 private:
  using Tag = std::pair<std::string, std::size_t>;  ///< template and offset

  /// Errors are at `frontend.page`, which static pages have.
  void check_metadata(const model::Route& route, const PageData& data, const model::Json& seo) {
    if (seo.is_structured()) {
      for (const model::Json& each : seo) check_metadata(route, data, each);
    }
    if (!seo.is_string()) return;
    const model::Range& range = route.pages.front().range;
    const auto& text = seo.get_ref<const std::string&>();
    const auto report = [&](const std::string& message, std::string help) {
      Reporter(diagnostics_, route.method, route.path)
          .report(rules::bad_page, fmt::format("'{}' in 'frontend.seo': {}", text, message), range,
                  std::move(help));
    };
    std::vector<templates::Error> errors;
    const templates::Template parsed = templates::parse_template({}, text, errors);
    for (templates::Error& error : errors) report(error.message, std::move(error.help));
    if (!errors.empty()) return;
    for (const templates::Node& node : parsed.nodes) {
      if (node.kind == templates::Node::Kind::text) continue;
      if (node.kind != templates::Node::Kind::value) {
        report("only values can be in metadata", {});
      } else if (const auto found = resolve_name(data.scope(), node.path);
                 const auto* unknown = std::get_if<Unknown>(&found)) {
        auto& error = report_unknown(diagnostics_, node.path, *unknown, range, route, data);
        error.message = fmt::format("'{}' in 'frontend.seo': {}", text, error.message);
      }
    }
  }

  void add(model::Diagnostics& errors, const std::string& file, const Instruction& step,
           const Unknown& unknown, const model::Route& route, const PageData& data) {
    const model::Range range = pages_.range_of(file, span_of(file, step, unknown.part));
    auto& error = report_unknown(errors, step.path, unknown, range, route, data);
    // A part that a page includes in two places is walked twice.
    if (!reported_.insert({range.file, range.line, range.column, error.message}).second) {
      return errors.pop_back();
    }
    const std::string replacement = nearest(step.path, unknown);
    if (!replacement.empty()) error.fixes.push_back({range, replacement});
  }

  static std::string nearest(const std::vector<std::string>& path, const Unknown& unknown) {
    if (!unknown.inner.empty()) return unknown.inner;
    const auto near = fw::base::near_names(path[unknown.part], unknown.candidates);
    return near.size() == 1 ? std::string(near.front()) : std::string();
  }

  static model::Diagnostic& report_unknown(model::Diagnostics& errors,
                                           const std::vector<std::string>& path,
                                           const Unknown& unknown, const model::Range& range,
                                           const model::Route& route, const PageData& data) {
    const auto end = path.begin() + static_cast<std::ptrdiff_t>(unknown.part) + 1;
    const std::string near = nearest(path, unknown);
    auto& error =
        Reporter(errors, route.method, route.path)
            .report(rules::unknown_page_variable,
                    fmt::format("the data of {} {} has no '{}'", route.method, route.path,
                                fmt::join(path.begin(), end, ".")),
                    range,
                    near.empty() ? fmt::format("add it to '{}', or remove it here", data.source())
                                 : fmt::format("did you mean '{}'?", near));
    if (!data.range().file.empty()) {
      error.notes.push_back(
          {fmt::format("'{}' declares the data here", data.source()), data.range()});
    }
    return error;
  }

  /// A part of the name in a tag.
  templates::Span span_of(const std::string& file, const Instruction& step,
                          std::size_t part) const {
    const std::string& source = pages_.templates().find(file)->source;
    const std::size_t tag =
        source.find(fmt::format("{}", fmt::join(step.path, ".")), step.span.offset);
    std::size_t offset = tag;
    for (std::size_t i = 0; i < part; ++i) offset += step.path[i].size() + 1;
    return {offset, step.path[part].size()};
  }

  const resolve::PageLibrary& pages_;
  model::Diagnostics& diagnostics_;
  std::map<Tag, model::Diagnostics> in_parts_;
  std::set<Tag> known_in_parts_;
  std::set<std::tuple<std::string, unsigned, unsigned, std::string>> reported_;
};

}  // namespace

void check_page_variables(const model::Application& application, const resolve::PageLibrary& pages,
                          model::Diagnostics& diagnostics) {
  VariableCheck check(pages, diagnostics);
  const std::vector<std::string> names = resolve::page_names(application);
  std::set<std::string> rendered;
  for_each_route(application, [&](const LocatedRoute& located) {
    if (located.route->pages.empty()) return;
    const PageData data(*located.route);
    std::set<std::string> own;
    for (const model::PageReference& page : located.route->pages) own.insert(page.name);
    check.check_metadata(*located.route, data);
    for (const std::string& page : own) {
      if (std::ranges::find(names, page) == names.end() || pages.is_broken(page)) continue;
      rendered.insert(page);
      check.check(page, located.route, data);
    }
  });
  // Handlers that compute a name may render the others, with any data. The document is for all.
  const PageData anything((model::Route()));
  for (const auto& [page, parsed] : pages.templates().all()) {
    const bool is_document = page == templates::kDocument;
    if (!rendered.contains(page) && (is_document || !templates::is_part(page))) {
      check.check(page, nullptr, anything);
    }
  }
  check.report_parts();
}

}  // namespace fairway::rules
