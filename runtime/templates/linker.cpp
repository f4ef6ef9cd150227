// Resolves the partials and layouts of a template, and finds out where its values are.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/suggest.hpp"
#include "templates/program.hpp"

namespace fw::templates {
namespace {

/// Contexts in which a template may include itself before one of them is repeated.
constexpr std::ptrdiff_t kMaxContexts = 16;

}  // namespace

class Linker {
 public:
  Linker(const Library& library, bool is_document, std::vector<Error>& errors)
      : library_(library), is_document_(is_document), errors_(errors) {}

  Program link(const Template& file) {
    program_.routines_.emplace_back();
    std::vector<Instruction> code;
    const std::size_t errors = errors_.size();
    const HtmlContext end = compile(file.nodes, {.file = &file}, HtmlContext(), code);
    if (!end.is_text() && errors_.size() == errors) {
      const std::size_t size = file.source.size();
      report(ErrorKind::syntax, file, {size == 0 ? 0 : size - 1, 1},
             fmt::format("the template ends in {}", end.description()), "close it");
    }
    if (is_document_) check_slots(file);
    program_.routines_.front() = std::move(code);
    return std::move(program_);
  }

 private:
  /// The content of a block in a template that has a layout.
  struct Override {
    std::string_view name;
    const Node* block;
    const Template* file;
  };

  struct Scope {
    const Template* file = nullptr;
    std::vector<Override> blocks = {};          ///< the outermost ones first
    std::vector<const Template*> layouts = {};  ///< that are being compiled
  };

  /// A partial, compiled for one context.
  struct Routine {
    const Template* file;
    HtmlContext begin;
    HtmlContext end;
    std::size_t index;
    bool is_complete = false;
    bool is_recursive = false;
  };

  void report(ErrorKind kind, const Template& file, Span span, std::string message,
              std::string help = {}) {
    // Repeated sections and shared partials are compiled several times.
    const auto is_same = [&](const Error& each) {
      return each.name == file.name && each.span == span && each.message == message;
    };
    if (std::ranges::any_of(errors_, is_same)) return;
    errors_.push_back({kind, file.name, span, std::move(message), std::move(help)});
  }

  HtmlContext compile(const std::vector<Node>& nodes, const Scope& scope, HtmlContext context,
                      std::vector<Instruction>& code) {
    for (const Node& node : nodes) context = compile(node, scope, std::move(context), code);
    return context;
  }

  HtmlContext compile(const Node& node, const Scope& scope, HtmlContext context,
                      std::vector<Instruction>& code) {
    switch (node.kind) {
      case Node::Kind::text:
        if (auto rejection = context.read(node.text)) {
          report(ErrorKind::syntax, *scope.file, {node.span.offset + rejection->offset, 1},
                 std::move(rejection->message), std::move(rejection->help));
        }
        add_text(node.text, code);
        return context;
      case Node::Kind::value:
        return compile_value(node, scope, std::move(context), code);
      case Node::Kind::section:
      case Node::Kind::inverted:
        return compile_section(node, scope, std::move(context), code);
      case Node::Kind::partial:
        return compile_partial(node, scope, std::move(context), code);
      case Node::Kind::parent:
        return compile_parent(node, scope, std::move(context), code);
      case Node::Kind::block:
        break;
    }
    for (const Override& each : scope.blocks) {
      if (each.name != node.text) continue;
      Scope inner = scope;
      inner.file = each.file;
      // An override is not overridden by itself.
      std::erase_if(inner.blocks, [&](const Override& other) { return other.name == each.name; });
      return compile(each.block->children, inner, std::move(context), code);
    }
    return compile(node.children, scope, std::move(context), code);
  }

  static void add_text(const std::string& text, std::vector<Instruction>& code) {
    code.push_back({.kind = Instruction::Kind::text, .text = text});
  }

  /// In the list of the program's files.
  std::size_t index_of(const Template& file) {
    std::vector<std::string>& files = program_.files_;
    const auto found = std::ranges::find(files, file.name);
    const auto index = static_cast<std::size_t>(found - files.begin());
    if (found == files.end()) files.push_back(file.name);
    return index;
  }

  HtmlContext compile_value(const Node& node, const Scope& scope, HtmlContext context,
                            std::vector<Instruction>& code) {
    if (is_document_ && node.is_raw && node.path.size() == 1) {
      const auto* slot = std::ranges::find(kSlotNames, node.path.front());
      if (slot != kSlotNames.end() && context.is_text()) {
        const auto index = static_cast<std::size_t>(slot - kSlotNames.begin());
        ++slots_[index];
        code.push_back({.kind = Instruction::Kind::slot, .slot = static_cast<Slot>(index)});
        return context;
      }
    }
    auto escape = context.value(node.is_raw);
    if (auto* rejection = std::get_if<HtmlContext::Rejection>(&escape)) {
      report(ErrorKind::unsafe, *scope.file, node.span, std::move(rejection->message),
             std::move(rejection->help));
      return context;
    }
    code.push_back({.kind = Instruction::Kind::value,
                    .escape = std::get<Escape>(escape),
                    .path = node.path,
                    .file = index_of(*scope.file),
                    .span = node.span});
    return context;
  }

  /// The context after a section must be that before it, since it may be left out or repeated.
  HtmlContext compile_section(const Node& node, const Scope& scope, const HtmlContext& before,
                              std::vector<Instruction>& code) {
    const std::size_t begin = code.size();
    const bool repeats = node.kind == Node::Kind::section;
    HtmlContext entry = before;
    for (int round = 0;; ++round) {
      code.resize(begin);
      const std::size_t errors = errors_.size();
      code.push_back({.kind = repeats ? Instruction::Kind::section : Instruction::Kind::inverted,
                      .path = node.path,
                      .file = index_of(*scope.file),
                      .span = node.span});
      const HtmlContext after = compile(node.children, scope, entry, code);
      code[begin].end = code.size();
      if (errors_.size() != errors) return entry;  // what follows from them is no news
      const auto merged = HtmlContext::merged(entry, after);
      if (!merged) {
        report(ErrorKind::syntax, *scope.file, node.span,
               fmt::format("the section '{}' begins in {} and ends in {}", node.text,
                           entry.description(), after.description()),
               "close in the section what it opens, and nothing else");
        return entry;
      }
      // What changes inside of a value, the next repetition begins with.
      if (!repeats || *merged == entry || merged->is_in_tag() || round > 2) return *merged;
      entry = *merged;
    }
  }

  HtmlContext compile_partial(const Node& node, const Scope& scope, const HtmlContext& context,
                              std::vector<Instruction>& code) {
    const Template* const file = required(node, scope);
    if (file == nullptr || endless_.contains(file)) return context;
    const auto open = std::ranges::count_if(
        routines_, [&](const Routine& each) { return each.file == file && !each.is_complete; });
    if (open > kMaxContexts) {
      endless_.insert(file);
      report(ErrorKind::syntax, *scope.file, node.span,
             fmt::format("'{}' includes itself in a different context each time", node.text),
             "include it where it begins itself, such as between tags");
      return context;
    }
    const std::size_t at = routine_of(*file, context);
    code.push_back({.kind = Instruction::Kind::call, .routine = routines_[at].index});
    if (!routines_[at].is_complete) routines_[at].is_recursive = true;
    return routines_[at].end;
  }

  /// The index in `routines_`.
  std::size_t routine_of(const Template& file, const HtmlContext& context) {
    for (std::size_t at = 0; at < routines_.size(); ++at) {
      if (routines_[at].file == &file && routines_[at].begin == context) return at;
    }
    const std::size_t at = routines_.size();
    const std::size_t index = program_.routines_.size();
    program_.routines_.emplace_back();
    routines_.push_back({.file = &file, .begin = context, .end = context, .index = index});
    std::vector<Instruction> code;
    HtmlContext end = compile(file.nodes, {.file = &file}, context, code);
    program_.routines_[index] = std::move(code);
    if (routines_[at].is_recursive && !(end == context)) {
      report(ErrorKind::syntax, file, {0, 1},
             fmt::format("the template includes itself, begins in {} and ends in {}",
                         context.description(), end.description()),
             "end where it begins");
    }
    routines_[at].end = std::move(end);
    routines_[at].is_complete = true;
    return at;
  }

  HtmlContext compile_parent(const Node& node, const Scope& scope, const HtmlContext& context,
                             std::vector<Instruction>& code) {
    const Template* const file = required(node, scope);
    if (file == nullptr) return context;
    if (std::ranges::find(scope.layouts, file) != scope.layouts.end()) {
      report(ErrorKind::syntax, *scope.file, node.span,
             fmt::format("'{}' is a layout of itself", node.text));
      return context;
    }
    Scope inner = scope;
    inner.file = file;
    inner.layouts.push_back(file);
    for (const Node& child : node.children) {
      if (child.kind == Node::Kind::block) {
        inner.blocks.push_back({child.text, &child, scope.file});
      } else if (child.kind != Node::Kind::text ||
                 child.text.find_first_not_of(" \t\r\n") != std::string::npos) {
        report(ErrorKind::syntax, *scope.file, child.span,
               fmt::format("content for the layout '{}' outside of its blocks", node.text),
               "write it into a block: '{{$name}}…{{/name}}'");
      }
    }
    return compile(file->nodes, inner, context, code);
  }

  const Template* required(const Node& node, const Scope& scope) {
    const Template* const file = library_.find(node.text);
    if (file != nullptr) return file;
    std::vector<std::string_view> names;
    for (const auto& [name, each] : library_.all()) names.push_back(name);
    report(ErrorKind::syntax, *scope.file, node.span,
           fmt::format("there is no template '{}'{}", node.text,
                       base::did_you_mean(node.text, names)));
    return nullptr;
  }

  void check_slots(const Template& file) {
    for (std::size_t i = 0; i < kSlotNames.size(); ++i) {
      if (slots_[i] == 1) continue;
      report(ErrorKind::syntax, file, {0, 1},
             fmt::format("the document must contain '{{{{{{{}}}}}}}' once, not {} times",
                         kSlotNames[i], slots_[i]),
             "'head' is for the end of <head>, 'body' for the page, and 'scripts' for the end of "
             "<body>");
    }
  }

  const Library& library_;
  const bool is_document_;
  std::vector<Error>& errors_;
  Program program_;
  std::vector<Routine> routines_;
  std::set<const Template*> endless_;  ///< reported for that
  std::array<int, kSlotNames.size()> slots_{};
};

const Template* Library::find(std::string_view name) const {
  const auto found = templates_.find(name);
  return found == templates_.end() ? nullptr : &found->second;
}

Program Library::link(std::string_view name, bool is_document, std::vector<Error>& errors) const {
  return Linker(*this, is_document, errors).link(templates_.find(name)->second);
}

}  // namespace fw::templates
